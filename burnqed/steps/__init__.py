"""The steps of the loop, one file each: read the store, call the layer below, write the store."""
