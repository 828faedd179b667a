"""The environments: sessions, actions, the history desk and the workspaces behind them."""
