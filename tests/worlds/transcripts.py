"""Conversations as programs export them, each with its turns: who says what, on which day."""

from __future__ import annotations

WHATSAPP = (
    "12/03/2031, 17:28 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.\n"
    "12/03/2031, 17:30 - Ada Brisk: The canoe is ready.\n"
    "Two things are missing:\n"
    "Note: the paddles\n"
    "\n"
    "and a name\n"
    "12/03/2031, 17:31 - Otto: <Media omitted>\n"
    "12/03/2031, 17:32 - Otto: Call it the Heron!\n"
    '12/03/2031, 17:33 - Ada Brisk changed the group name from "Boats" to "Heron"\n'
    "13/03/2031, 08:05 - Ada Brisk: I painted the name last night.\n"
)

FORMS = {
    "WhatsApp on Android": (
        WHATSAPP,
        [
            ("Ada Brisk", "The canoe is ready.\nTwo things are missing:\nNote: the paddles\n\nand a name", "20310312"),
            ("Otto", "Call it the Heron!", "20310312"),
            ("Ada Brisk", "I painted the name last night.", "20310313"),
        ],
    ),
    "WhatsApp on a phone with a bitten apple, with its invisible marks": (
        (
            "\u200e[12.03.31, 17:30:05] Ada Brisk: \u200eMessages are end-to-end encrypted.\n"
            "[12.03.31, 17:31:00] ~\u202fOtto Fell: Shall we sail?\n"
            "\u200e[12.03.31, 17:31:20] Ada Brisk: \u200eimage omitted\n"
            "[12.03.31, 17:32:10] +44 20 7946 0000: Who is this?\n"
        ),
        [
            ("Ada Brisk", "Messages are end-to-end encrypted.", "20310312"),
            ("Otto Fell", "Shall we sail?", "20310312"),
            ("+44 20 7946 0000", "Who is this?", "20310312"),
        ],
    ),
    "WhatsApp in the United States": (
        "2/4/31, 5:30\u202fPM - Ada: See you\n2/14/31, 12:05\u202fAM - Otto: Happy valentine\n",
        [("Ada", "See you", "20310204"), ("Otto", "Happy valentine", "20310214")],
    ),
    "WhatsApp copied from a browser": (
        "[17:30, 12/03/2031] Ada Brisk: Come over\n[17:31, 12/03/2031] Otto: On my way\n",
        [("Ada Brisk", "Come over", "20310312"), ("Otto", "On my way", "20310312")],
    ),
    "a clock in brackets below days": (
        (
            "--- 4 February 2031 ---\n[23:50] Ada: Good night.\n[23:58] Otto: Sleep well.\n[00:02] Ada: Still awake.\n"
            "Tuesday, February 11, 2031\n[17:30] Otto: A week ago!\n"
        ),
        [
            ("Ada", "Good night.", "20310204"),
            ("Otto", "Sleep well.", "20310204"),
            ("Ada", "Still awake.", "20310205"),
            ("Otto", "A week ago!", "20310211"),
        ],
    ),
    "Telegram": (
        "Ada Brisk, [04.02.31 17:30]\nThe oars are dry.\nTake them.\n\nOtto Fell, [04.02.31 17:41]\nThanks!\n",
        [("Ada Brisk", "The oars are dry.\nTake them.", "20310204"), ("Otto Fell", "Thanks!", "20310204")],
    ),
    "Slack": (
        (
            "Tuesday, February 4, 2031\nAda Brisk  5:30 PM\nThe build is red.\nOtto Fell  5:31 PM\nMy fault.\n"
            "Ada Brisk  5:40 PM\nGreen again.\n"
        ),
        [
            ("Ada Brisk", "The build is red.", "20310204"),
            ("Otto Fell", "My fault.", "20310204"),
            ("Ada Brisk", "Green again.", "20310204"),
        ],
    ),
    "Teams": (
        (
            "[04/02/2031 17:30] Ada Brisk\nCan you hear me?\n[04/02/2031 17:31] Otto Fell\nYes.\n"
            "[04/02/2031 17:31] Ada Brisk\nGood.\n"
        ),
        [
            ("Ada Brisk", "Can you hear me?", "20310204"),
            ("Otto Fell", "Yes.", "20310204"),
            ("Ada Brisk", "Good.", "20310204"),
        ],
    ),
    "IRC": (
        "<ada> who has the key\n<@otto> me\n<ada> fine\n",
        [("Ada", "who has the key", ""), ("Otto", "me", ""), ("Ada", "fine", "")],
    ),
    "IRC with a clock": (
        (
            "--- Day changed Tue Feb 04 2031\n17:30 <@ada> is the ferry late\n17:31 -!- mira has joined #harbour\n"
            "17:32 < otto_f> yes\n17:33 <@ada> thanks\n"
        ),
        [
            ("Ada", "is the ferry late", "20310204"),
            ("otto_f", "yes", "20310204"),
            ("Ada", "thanks", "20310204"),
        ],
    ),
    "IRC with a clock in brackets": (
        "[17:30] <ada> hello\n[17:31] <otto> hello\n[17:32] <ada> bye\n",
        [("Ada", "hello", ""), ("Otto", "hello", ""), ("Ada", "bye", "")],
    ),
    "Zoom": (
        "00:03:15 Ada Brisk: Let us begin.\n00:03:20 Otto Fell: I am ready.\n00:04:01 Ada Brisk: Then begin.\n",
        [
            ("Ada Brisk", "Let us begin.", ""),
            ("Otto Fell", "I am ready.", ""),
            ("Ada Brisk", "Then begin.", ""),
        ],
    ),
    "WebVTT with voices": (
        (
            "WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\n<v Ada Brisk>Welcome to the\nharbour.</v>\n\n2\n"
            "00:00:04.500 --> 00:00:06.000\nIt is cold.\n\nNOTE a comment\n\n3\n"
            "00:00:07.000 --> 00:00:08.000\n<v Otto>Very.\n"
        ),
        [("Ada Brisk", "Welcome to the\nharbour.", ""), ("Ada Brisk", "It is cold.", ""), ("Otto", "Very.", "")],
    ),
    "WebVTT with names": (
        (
            "WEBVTT\n\n00:01.000 --> 00:04.000\nAda Brisk: Welcome.\n\n00:04.000 --> 00:05.000\nOtto: Thank you.\n\n"
            "00:05.000 --> 00:06.000\nAda Brisk: Sit down.\n"
        ),
        [("Ada Brisk", "Welcome.", ""), ("Otto", "Thank you.", ""), ("Ada Brisk", "Sit down.", "")],
    ),
    "an interview": (
        "ADA BRISK: When did you build the mill?\nOTTO FELL: I built it in 1901.\nADA BRISK: Alone?\n",
        [
            ("Ada Brisk", "When did you build the mill?", ""),
            ("Otto Fell", "I built it in 1901.", ""),
            ("Ada Brisk", "Alone?", ""),
        ],
    ),
    "a name above what is said": (
        "Ada:\nIs the tide in?\nOtto:\nIt is.\nAda:\nThen we sail.\n",
        [("Ada", "Is the tide in?", ""), ("Otto", "It is.", ""), ("Ada", "Then we sail.", "")],
    ),
    "names in bold": (
        "**Ada Brisk:** Is the tide in?\n**Otto:** It is.\n**Ada Brisk:** Then we sail.\n",
        [("Ada Brisk", "Is the tide in?", ""), ("Otto", "It is.", ""), ("Ada Brisk", "Then we sail.", "")],
    ),
    "the end of a message that a passage cut": (
        "is still wet.\n12/03/2031, 17:30 - Ada Brisk: Use the red one.\n12/03/2031, 17:31 - Otto: I will do so.\n",
        [("Ada Brisk", "Use the red one.", "20310312"), ("Otto", "I will do so.", "20310312")],
    ),
    "questions and answers": (
        "Q: When did you come here?\nA: I came in 1901.\nQ: And why?\nA: My brother had a boat.\n",
        [
            ("Q", "When did you come here?", ""),
            ("A", "I came in 1901.", ""),
            ("Q", "And why?", ""),
            ("A", "My brother had a boat.", ""),
        ],
    ),
    "names in any script": (
        "Łukasz: Masz klucz?\nАнна: Да.\nЁжи: Tak!\n李华：我也有一把钥匙。\nŁukasz: Świetnie.\nАнна: Хорошо.\n",
        [
            ("Łukasz", "Masz klucz?", ""),
            ("Анна", "Да.", ""),
            ("Ёжи", "Tak!", ""),
            ("李华", "我也有一把钥匙。", ""),
            ("Łukasz", "Świetnie.", ""),
            ("Анна", "Хорошо.", ""),
        ],
    ),
    "a header": (
        "Time: 20310204_17:30\nAdaBrisk: Hi!\nOttoFell: Hello.\n",
        [("Ada Brisk", "Hi!", "20310204"), ("Otto Fell", "Hello.", "20310204")],
    ),
}
