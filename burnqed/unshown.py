"""Characters that are invisible, or that change how others are shown. In a separate file because compiling this takes a tenth of a second."""

from __future__ import annotations

import regex

UNSHOWN = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]")
