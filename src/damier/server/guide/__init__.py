"""The rules and the guide: pages to read and boards to try them on."""
