"""Notifications: each person hears of waiting items by e-mail or chat, when they want to.

The queue itself is what is looked at (`outbox`): for each person and item that is to be told of a row says when
(`times`). A worker sends what is due, all of a person's items in one message (`deliveries`), whose words are in
`wording`: by Django's mail, or to one of a few chat services (`chat`). People choose in `preferences`.
"""
