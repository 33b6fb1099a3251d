"""The one service boundary: typed request → typed result. Nothing here prints or knows a transport."""
