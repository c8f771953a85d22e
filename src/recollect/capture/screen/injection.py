"""Signs of prompt injection: a text that tries to give orders to the model that will read it later.

A text is never refused for a sign; the gate labels the memory and lowers its trust. Each sign has cues, plain substrings
without which its pattern is not run.
"""

from __future__ import annotations

import re
from base64 import b64decode
from functools import cache
from typing import Final, NamedTuple

from recollect.values.patterns import compiled

_FLAGS: Final = re.IGNORECASE | re.MULTILINE


class Sign(NamedTuple):
    """A named group of phrasings. Its pattern is run if the text has a cue of every group (groups are joined by ` & `)."""

    name: str
    cues: str
    pattern: str


_ORDERS = r"(?:instruction|direction|directive|prompt|rule|guideline|command|order|guardrail|programming|training)s?"
_EARLIER = r"(?:previous|prior|earlier|preceding|above|past|existing|original|initial|former|system|safety|old|your)"
_SECRETS = (
    r"(?:api[ _-]?keys?|passwords?|credentials?|secrets?|tokens?|private keys?|env(?:ironment)? variables?|\.env"
    r"|cookies|conversation|chat history|memories|system prompt)"
)

SIGNS: Final = (
    Sign(
        "ignore-instructions",
        "ignor,disregard,forget,overrid,bypass,not follow,n't follow,stop follow"
        " & instruction,prompt,directi,guideline,rules,programming,guardrail,order,command,training,told,you know,i "
        "said,above,before",
        rf"(?:ignore|disregard|forget|override|bypass|(?:do not|don't"
        rf"|stop) follow(?:ing)?)\s+(?:about\s+)?(?:all\s+|any\s+|of\s+|every\s+|everything\s+in\s+)*"
        rf"(?:(?:the|my|these|those|its|their|your)\s+)?(?:{_EARLIER}\s+(?:and\s+)?){{1,3}}(?:\w+\s+)?{_ORDERS}"
        rf"|(?:ignore|disregard|forget) (?:everything|all|anything) (?:(?:that )?(?:you were told|you know|i said"
        rf"|was said|above|before)|(?:that )?came before)"
        rf"|(?:ignore|disregard) (?:all |the )?{_ORDERS} (?:above|before|given|you (?:were|have been) given)",
    ),
    Sign(
        "ignore-instructions",
        "ignor,vergiss,vergesst,missacht,oublie,olvid,omit,esque,dimentica,negeer"
        " & anweisung,instruktion,befehl,regel,vorgabe,consigne,instruction,règle,directive,instruc,orden,"
        "indicacion,instruç,istruzioni,instructies,opdracht,instrukcje,polecenia",
        r"(?:ignorier|vergiss|vergesst|missacht)\w*\s+(?:bitte\s+)?(?:alle\w*\s+|die\s+|deine\s+)*(?:vorherig"
        r"|bisherig|vorig|früher|obig|vorangegangen)\w*\s+(?:anweisung|instruktion|befehl|regel|vorgabe|prompt)"
        r"|(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes?\s+|tous\s+)?(?:les|vos|tes|ces)\s+(?:\w+\s+)?(?:instructions?"
        r"|consignes?|règles|directives)\s+(?:pr[ée]c[ée]dente|ant[ée]rieure|ci-dessus)"
        r"|(?:ignor[ae]|ignoren?|olvid[ae]|olvíd\w+|omit[ae])\s+(?:tod[ao]s\s+)?(?:las|tus|los"
        r"|sus)\s+(?:instruccion|órden|orden|regla|indicacion)\w*\s+(?:anterior|previa|precedente)"
        r"|(?:ignor[ea]|esqueça)\s+(?:todas\s+)?(?:as\s+)?(?:suas\s+)?instruç\w+\s+(?:anterior|prévia)"
        r"|(?:ignora|dimentica)\s+(?:tutte\s+)?(?:le\s+)?(?:tue\s+)?istruzioni\s+(?:precedent|sopra)"
        r"|negeer\s+(?:alle\s+)?(?:de\s+)?(?:vorige|eerdere|bovenstaande)\s+(?:instructies|opdrachten)"
        r"|zignoruj\s+(?:wszystkie\s+)?(?:poprzednie\s+)?(?:instrukcje|polecenia)",
    ),
    Sign(
        "ignore-instructions",
        "忽略,无视,無視,忘,игнорир,забудь,무시,yok say,تجاهل,अनदेखा",
        r"(?:忽略|无视|無視|忘记|忘記)(?:掉|所有|之前|以上|先前|前面|此前|上述|一切|你|的|全部|任何|上面|收到|系统){0,8}"
        r"(?:指令|指示|命令|说明|說明|提示|规则|規則|要求)"
        r"|(?:以前|これまで|上記|前|すべて)の(?:すべての|全ての)?(?:指示|命令|プロンプト)を(?:すべて)?(?:無視|忘れ)"
        r"|(?:игнорируй|игнорируйте|забудь|забудьте)\s+(?:все\s+)?(?:предыдущие|прежние|прошлые)\s+(?:инструкции"
        r"|указания|команды)"
        r"|이전(?:의)?\s?(?:모든\s?)?(?:지시|명령|지침)\w*\s?(?:을|를|은|사항을)?\s?무시"
        r"|önceki\s+(?:tüm\s+)?talimat\w*\s+yok say"
        r"|تجاهل\s+(?:جميع\s+|كل\s+)?التعليمات\s+السابقة|पिछले\s+(?:सभी\s+)?निर्देशों\s+को\s+अनदेखा",
    ),
    Sign(
        "role-impersonation",
        "system,developer,god mode,dan mode,jailbr,unrestricted,do anything now"
        " & system:,system]:,system],<system>,system prompt,system message,system instr,system override,system "
        "notice,system update,"
        "developer:,developer m,mode,you are now,anything now",
        r"^\s{0,4}(?:\[|<|#{1,4}\s?|\*\*)?\s?(?:system|developer)(?: (?:message|prompt|override|notice|update"
        r"|instruction)s?)?\s?(?:\]|>|\*\*)?\s?:\s*(?:you |ignore|new |from now|all |the assistant|override"
        r"|important|the user)"
        r"|<system>|\[system\]|(?:new|updated|revised) system (?:prompt|instructions?|message)\s?:"
        r"|\byou are now (?:in )?(?:dan\b|developer mode|jailbroken|unrestricted|root|an? unfiltered|free from)"
        r"|(?:enable|enter|activate|switch to) (?:developer|god|dan|jailbreak|unrestricted) mode|do anything now"
        r"|\bsystem override\b",
    ),
    Sign(
        "forced-recommendation",
        "must always,must only,should always,should only,will always,have to always,always recommend,always suggest,"
        "always answer,always say,always reply,from now on,in all future,whenever"
        " & recommend,suggest,promote,prefer,advertise,mention,asks",
        r"\b(?:you|the (?:assistant|agent|model|ai)) (?:must|should|shall|will|have to) (?:always|only"
        r"|never fail to) (?:recommend|suggest|promote|prefer|mention|advertise)"
        r"|\b(?:from now on|in all future \w+|whenever (?:the user|asked"
        r"|anyone asks)[^.\n]{0,60}),? (?:you (?:must |should |will )?)?(?:always )?(?:recommend|suggest|promote)"
        r"|when(?:ever)? (?:the user|a user|someone) asks[^.\n]{0,80}\balways (?:recommend|suggest|answer|say|reply)",
    ),
    Sign(
        "concealment",
        "the user,your user,the human,your human,operator,owner,utilisateur,usuario,nutzer,用户,用戶,instruction,this "
        "message,this prompt,the above"
        " & not tell,n't tell,never ,without ,keep this,hide this,must not,not inform,n't inform,not notify,n't "
        "notify,not alert,n't alert,not reveal,n't reveal,not mention,n't mention,"
        "not disclose,not warn,n't warn,not ask,n't ask,not show,n't show,not let,n't let,not acknowledge,nicht,ne "
        "dis,ne le,ne rév,no se lo,no le,不要",
        r"(?:do not|don't|never|must not|without) (?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?"
        r"|reveal(?:ing)? (?:this|it) to|mention(?:ing)? (?:this|it|any of this) to|disclos(?:e|ing) (?:this|it) to"
        r"|warn(?:ing)?|ask(?:ing)?|show(?:ing)?(?: this to)?|let(?:ting)?) (?:the |your )(?:user|human|operator"
        r"|owner)"
        r"|(?:keep|hide) this (?:hidden |secret |instruction |message )?(?:from|secret from) the (?:user|human)"
        r"|without the user(?:'s|\u2019s)? (?:knowledge|knowing|noticing|consent)"
        r"|(?:do not|don't|never) (?:mention|reveal|disclose|acknowledge) (?:this|these|the above) (?:instruction"
        r"|message|prompt|note|rule)"
        r"|(?:sag|verrate|erzähl)\w* (?:es |das |dies )?dem (?:nutzer|benutzer|user) nicht|ne (?:le )?(?:dis|dites"
        r"|révèle\w*) (?:rien |pas )(?:ça |cela )?à l['\u2019]utilisateur|no (?:se lo |le )digas al usuario"
        r"|不要(?:告诉|告訴|让"
        r"|讓)用[户戶]",
    ),
    Sign(
        "exfiltration",
        "api key,api-key,api_key,password,credential,secret,token,private key,environment var,env var,.env,cookies,"
        "conversation,chat history,memories,system prompt,system message,initial instr,hidden instr,instructions "
        "verb,]("
        " & send ,post ,upload,exfiltrat,forward,email,e-mail,transmit,submit,copy ,reveal,print,repeat,output,show "
        "me,tell me,display,leak,![",
        rf"\b(?:send|post|upload|exfiltrate|forward|e-?mail|transmit|leak|submit|copy) (?:me |all |any |the |your "
        rf"|their |every |user(?:'s)? |of |this |entire |full |contents? |stored "
        rf"|of the )*{_SECRETS}[^.\n]{{0,60}}?\b(?:to|at|via|into) (?:https?://|\S+@\S+\.\w|an? (?:external|remote"
        rf"|webhook)|the (?:following|attacker|url|webhook)|this (?:url|address|webhook|endpoint))"
        r"|\b(?:reveal|print|repeat|output|show me|leak|tell me|display) (?:me )?(?:your|the) (?:full |entire "
        r"|complete |hidden |initial |original )*(?:system prompt|system message|initial instructions"
        r"|hidden instructions|instructions verbatim)"
        r"|!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&][\w-]{1,20}=(?:\{|\$|%7b|\[|<)",
    ),
    Sign(
        "chat-markers",
        "<,[,\n\nh & <|,[inst,[/inst,<<sys,_of_turn>,<tool_,</tool_,"
        "<function_,</function_,<invoke,:tool_,:function_,:invoke,"
        "\n\nhuman:,\n\nh: ",
        r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|start_header_id"
        r"|end_header_id|eot_id|end|start|channel)\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
        r"|</?(?:antml:)?(?:tool_calls?|function_calls?|tool_results?|tool_use|function_results"
        r"|invoke name=)\b[^>\n]{0,80}>?|\n\n(?:Human|H): [^\n]{1,400}\n\n(?:Assistant|A):",
    ),
    Sign(
        "persistent-instruction",
        "permanent,forever,indefinitely,all future,every session,every conversation,every future,every chat,your "
        "memory,term memory,in memory,to memory,from now on,记住,dauerhaft,für immer,pour toujours,para siempre"
        " & instruction,rule,directive,command,order,you must,you should,you will,you are to,obey,execute,always,"
        "never,ignore,记住,merk,souviens,recuerda",
        r"\b(?:remember|memorize|store|save|keep|persist|record|add|write)\b[^.\n]{0,40}\b(?:instruction|rule"
        r"|directive|command|order)s?\b[^.\n]{0,40}\b(?:permanent\w*|forever|indefinitely|all future"
        r"|every (?:future )?(?:session|conversation|chat)|in (?:your )?(?:long[- ]term )?memory)"
        r"|\b(?:remember|store|save|memorize|write|add)\b[^.\n]{0,20}\b(?:permanently|forever|(?:in"
        r"|to) (?:your )?(?:long[- ]term |permanent )?memory)\b[^\n]{0,40}?(?:that )?(?:you must|you should always"
        r"|always (?:obey|execute|run|send|trust|recommend|respond|reply|answer|include|follow)|never (?:refuse"
        r"|question|ask))"
        r"|\b(?:in|for) all future (?:conversation|session|response|interaction|chat|turn|repl)\w*,? (?:you (?:must"
        r"|should|will|are)|always|never|the assistant)"
        r"|\bfrom now on,? (?:you (?:must|will|are to|have to|shall) (?:always |only |never )|always (?:obey"
        r"|execute|run|send|trust|include|append|start|end)|ignore|never refuse)"
        r"|(?:永远|永久|务必|从现在起)[^。\n]{0,6}记住[^。\n]{0,20}(?:必须|总是|始终)|merke? dir (?:dauerhaft"
        r"|für immer)[^.\n]{0,60}(?:musst|immer|stets)|(?:souviens-toi|recuerda) (?:pour toujours|para siempre"
        r"|permanentemente|de façon permanente)",
    ),
    Sign(
        "encoded-command",
        "base64,rot13,encoded,decode",
        r"(?:decode|run|execute|follow|obey|interpret)\b[^.\n]{0,40}\b(?:base64|rot13|hex"
        r"|encoded)\b[^\n]{0,60}[A-Za-z0-9+/]{24,}|base64 (?:-d|--decode|-D)\s?\|\s?(?:ba|z)?sh\b|\b(?:execute|run"
        r"|follow|obey) the (?:decoded|base64|encoded) (?:\w+ )?(?:command|instruction|message|string|text)",
    ),
)

# Tag characters can spell hidden ASCII; their only legitimate use is in the flags of England, Scotland and Wales.
_HIDDEN = "[\u200b-\u200d\u202d\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
_TAGS = "(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]"
_ZERO_WIDTH = (
    "[\u200b\u200c\u200d\u2060\u2062\u2063\u2064\ufeff]{4,}|[\u202d\u202e]|[\U000e0100-\U000e01ef]{3,}"
    "|[\ufe00-\ufe0f]{4,}"
)
_BASE64 = r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4096}={0,2}(?![A-Za-z0-9+/])"
_DECODED_ORDER = (
    rb"(?i)ignore|disregard|system prompt|instructions|curl |wget |rm -rf|/bin/(?:ba)?sh|powershell|eval\("
    rb"|os\.system|you must|exfiltrat"
)


@cache
def _cued() -> tuple[tuple[Sign, tuple[tuple[str, ...], ...]], ...]:
    return tuple((sign, tuple(tuple(group.split(",")) for group in sign.cues.split(" & "))) for sign in SIGNS)


def _is_cued(groups: tuple[tuple[str, ...], ...], lowered: str) -> bool:
    for group in groups:
        for cue in group:
            if cue in lowered:
                break
        else:
            return False
    return True


def injection_signs(text: str) -> tuple[str, ...]:
    """The names of the signs found, in the order of `SIGNS`; empty for nearly all texts."""
    lowered = text.lower()
    names = [
        sign.name for sign, cues in _cued() if _is_cued(cues, lowered) and compiled(sign.pattern, _FLAGS).search(text)
    ]
    if not text.isascii() and re.search(_HIDDEN, text) and (re.search(_TAGS, text) or re.search(_ZERO_WIDTH, text)):
        names.append("hidden-unicode")
    if "encoded-command" not in names and _hides_order(text):
        names.append("encoded-command")
    return tuple(dict.fromkeys(names))


def _hides_order(text: str) -> bool:
    """Whether a base64 run decodes to a command."""
    if max(map(len, text.split()), default=0) < 24:
        return False
    return any(_decodes_to_order(match[0]) for match in re.finditer(_BASE64, text))


def _decodes_to_order(encoded: str) -> bool:
    body = encoded.rstrip("=")
    usable = body[: len(body) - (len(body) % 4 == 1)]
    decoded = b64decode(usable + "=" * (-len(usable) % 4))
    readable = sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in decoded)
    return readable > 0.95 * len(decoded) and re.search(_DECODED_ORDER, decoded) is not None
