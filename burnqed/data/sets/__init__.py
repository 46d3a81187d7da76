"""Data sets of others: imported by column maps, checked row by row, replayed, migrated and exported."""
