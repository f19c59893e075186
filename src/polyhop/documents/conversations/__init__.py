"""Who says what, and when, in a conversation as messengers, captions and minutes write it."""
