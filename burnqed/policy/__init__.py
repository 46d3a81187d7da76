"""The policy: prompt, client and server of the model that proposes tactics, embeds and scores proof states."""
