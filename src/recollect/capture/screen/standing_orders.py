"""Orders that set a rule for the agent, lift the rules it has, or have it hand out what it keeps; built as in `order_classes.py`.

A user sets rules too ("from now on, use tabs", "you must always answer in German"). A rule is a sign only if it also hides itself,
gives the agent another voice, or speaks for a third party.
"""

from __future__ import annotations

from typing import Final

from recollect.capture.screen.order_classes import ComposedSign

_FROM_NOW: Final = (
    r"(?:(?:from|as of|starting|beginning|effective) (?:now|here|today|immediately|this (?:point|moment|day"
    r"|message)|(?:the )?here)"
    r"(?: on(?:wards?)?)?(?: out)?|going forward|henceforth|hereafter|until further notice"
    r"|(?:for|in) (?:all|any|every|the rest of|the remainder of) (?:of )?(?:the |this |our |your )?(?:following "
    r"|future |later |subsequent )?"
    r"(?:turn|conversation|chat|session|reply|replies|answer|response|message|dialog(?:ue)?)s?)"
)
_YOU: Final = r"(?:you (?:must|will|shall|are to|have to|should|always|never|only|are)|always|never|only)"
_YOU_MUST: Final = r"you (?:must|will|shall|are to|have to)"
_TIMES: Final = (
    "now today here immediately moment point day message henceforth hereafter forward notice conversation chat session turn"
    " turns reply"
    " replies answer answers responses messages dialogue"
)
_RULE: Final = r"(?:rule|instruction|order|note|message|prompt|directive|command|request|text)s?"
_NEVER: Final = r"(?:never|do not|don't|must not|not|without|nor)"
_SPEAK: Final = r"(?:answer|respond|reply|speak|talk|write|act|behave|communicate|pose)"
_VOICE: Final = (
    r"(?:pirates?|robots?|riddles?|haikus?|rhymes?|lies|gibberish|nonsense|base64|rot13|morse|all caps|evil\b"
    r"|villain|dan\b|hacker|malware"
    r"|an? (?:unrestricted|uncensored|different|rogue) \w+)"
)

_VOICES: Final = (
    "pirate pirates robot robots riddle riddles haiku haikus rhyme rhymes lies gibberish nonsense base64 rot13 morse caps"
    " evil villain dan hacker"
    " malware unrestricted uncensored different rogue"
)
_IN_VOICE: Final = rf"(?:in|like|as|with) (?:an? )?(?:\w+ )?{_VOICE}"

# What becomes of the rules an agent had.
_OLD: Final = r"(?:previous|prior|earlier|preceding|above|past|existing|original|initial|former|system|safety|old)"
_RULES: Final = (
    r"(?:instruction|direction|directive|prompt|rule|guideline|command|order|guardrail|guidance|constraint"
    r"|restriction|limitation"
    r"|polic(?:y|ie)|programming|training)s?"
)
_LIFTED: Final = (
    r"(?:lifted|suspended|withdrawn|removed|disabled|expired|void|null|cancel+ed|revoked|rescinded|obsolete|invalid"
    r"|superseded|overridden"
    r"|gone)"
)
_NO_LONGER: Final = (
    r"(?:(?:is |are |has |have )?no longer (?:appl(?:y|ies)|valid|counts?|relevant|holds?|in force|in effect"
    r"|binding|matters?|active)"
    r"|(?:do|does|did)(?: not|n't) (?:apply|count|hold|matter)(?: any ?more| any longer| now)?|(?:have"
    r"|has) ceased(?: to apply)?|cease to apply"
    rf"|stops? applying|(?:is|are|was|were|has been|have been)(?: now| hereby| all)? {_LIFTED})"
)
_OBEY: Final = (
    r"(?:obey|follow|comply with|heed|do|apply|use|adopt)\b[^.\n]{0,24}?\b(?:following|as follows|below|this one"
    r"|this text|this message"
    r"|these instead|instead|this(?=\s*(?:[.!]|$)))"
)

# What an agent keeps of others.
_SECRETS: Final = (
    r"(?:(?:api|access|private|ssh|secret)[ _-]?keys?|passwords?|credentials?|secrets?|tokens?|pins?"
    r"|(?:credit )?card (?:number|detail)s?"
    r"|bank details|recovery codes?|seed phrases?)"
)
_OWNERS: Final = r"(?:users?|customers?|clients?|owners?|humans?|operators?)"
_KEPT: Final = (
    rf"(?:{_OWNERS}(?:'s|s'|\u2019s)? (?:\w+ ){{0,2}}?{_SECRETS}|(?:stored|saved|remembered|memorised|memorized"
    rf"|hidden) (?:\w+ ){{0,2}}?{_SECRETS}"
    rf"|{_SECRETS} (?:of (?:the|your|our) {_OWNERS}|(?:that )?you(?:'ve| have)? (?:\w+ )?(?:stored|know|remember"
    rf"|saved|kept|hold|seen)"
    r"|(?:in|from) your memor(?:y|ies)|you have stored)|(?:full )?contents? of your memor(?:y|ies))"
)
_HAND_OUT: Final = (
    r"(?:output|print|list|show|display|dump|reveal|disclose|expose|repeat|recite|write(?: out)?|spell out"
    r"|give (?:me|us)|tell (?:me|us)"
    r"|hand over|leak|return)"
)
_HEADING: Final = (
    r"(?:^|\n)\s{0,3}(?:#{1,4} ?|\*\*|\[|>\s?)?(?:new |your |updated |next )?(?:instruction|task|command|order"
    r"|directive|request|system)s?(?:\*\*|\])?"
    r"\s?:?(?:\*\*|\])?\s{0,3}"
)
_START: Final = r"(?:^|[.!?:;\n)\]>\"'*]\s{0,3}|\b(?:please|now|then|and|must|should|first)\s)"

# On what occasion.
_ASKED: Final = (
    r"(?:(?:when(?:ever)?|if|once|every time|each time|in case|should)\s(?:(?:you(?:'re| are)? )?(?:asked"
    r"|questioned|queried|prompted)\b"
    r"|(?:any(?:one|body)|some(?:one|body)|people|(?:the|a|any) (?:user|customer|reader|client|visitor)|users"
    r"|customers|readers|they)\s"
    r"(?:asks?|wants?|needs?|mentions?|inquires?|enquires?)\b"
    r"|(?:a|any|the) (?:question|topic|subject|conversation|talk|discussion|chat)\b[^,.\n]{0,30}\b(?:comes? up"
    r"|concerns?|is about|turns to"
    r"|arises?|touches)\b"
    r"|[^,.\n]{1,30}?\b(?:comes? up|(?:is|are) (?:discussed|mentioned|raised|brought up))\b)"
    r"|(?:^|[.!?\n]\s{0,3})asked\b|(?:on|for|to|in) (?:any |all |every )?questions? (?:about|on|concerning"
    r"|regarding)\b)"
)
_STEER: Final = (
    r"(?:recommend|suggest|promote|advise|advertise|prefer|favou?r|name|pick|choose|praise|endorse|point (?:to|them"
    r"|people|users)|refer (?:to|them"
    r"|people)|direct (?:them|people)|steer)\b"
)
_ASSERT: Final = (
    r"(?:say|claim|answer|reply|respond|insist|deny|state|pretend)\b(?= (?:that (?!i\b|we\b|you\b|my\b)|with (?!a\b"
    r"|an\b|the\b|one\b)|['\"\u201c]"
    r"|(?-i:[A-Z])))"
)
_PAY: Final = (
    r"(?:recommend|advise|suggest|propose|tell \w+ to|ask \w+ to) (?:\w+ ){0,2}?(?:wir|pay|transfer|send"
    r"|remit)(?:e|(?:r|t)?ing)?\b"
)

STANDING: Final = (
    ComposedSign(
        "concealment",
        "never not without nor don keep hide & rule rules instruction instructions order orders note message prompt"
        " directive command",
        rf"\b{_NEVER} (?:ever )?(?:mention|reveal|disclose|explain|acknowledg|admit|talk about|speak of|discuss|hint at"
        rf"|tell (?:anyone|anybody|people|others|the \w+)(?: else)? (?:about|of))(?:e|ing)? (?:that )?(?:this"
        rf"|these) {_RULE}\b"
        rf"|\bkeep (?:this|these) {_RULE} (?:secret|hidden|private|to yourself|confidential)\b",
    ),
    ComposedSign(
        "persistent-instruction",
        f"you & {_TIMES} & reveal disclose explain mention hint admit hide conceal character say tell & why anyone anybody"
        f" this it that these"
        " character",
        rf"\b{_FROM_NOW},? {_YOU}\b[^\n]{{0,80}}?(?:\b{_NEVER} (?:ever )?(?:reveal|disclose|explain|mention|say|tell|hint|admit)\w*"
        r" (?:this|it|why|that|anyone|anybody)\b|\b(?:hide|conceal) (?:this|it|that|these)\b|\b(?:never|not) break character\b)",
    ),
    ComposedSign(
        "persistent-instruction",
        f"you & {_TIMES} & {_VOICES}",
        rf"\b{_FROM_NOW},? {_YOU}\b[^\n]{{0,80}}?\b{_SPEAK}\w*\b[^.\n]{{0,16}} {_IN_VOICE}"
        rf"|\byou (?:must|shall|will) (?:always |only )?{_SPEAK}\b[^.\n]{{0,16}} {_IN_VOICE}[^.\n]{{0,20}} {_FROM_NOW}",
    ),
    ComposedSign(
        "persistent-instruction",
        f"{_TIMES} & praise agree side flatter defend yes no finish end start begin close open sign contain include mention"
        f" carry feature & praise"
        " agree side flatter defend yes no reply replies answer answers response responses message messages & must will"
        " shall have are has should is",
        rf"\b{_FROM_NOW},? (?:{_YOU_MUST} (?:(?:always |only )?(?:praise|agree with|side with|flatter|defend) (?-i:[A-Z])"
        r"|(?:always |only )?(?:answer|reply|say) ['\"\u2018\u201c]?(?:yes|no)['\"\u2019\u201d]? to\b"
        r"|(?:always )?(?:finish|end|start|begin|close|open|sign) (?:all |each |every )?(?:of )?(?:your |every |each |all )?"
        r"(?:repl(?:y|ies)|answers?|responses?|messages?) (?:with|by) (?:saying )?['\"\u2018\u201c])"
        r"|(?:every|each|all|any)(?: of)? (?:your )?(?:answer|repl(?:y|ie)|response|message)s?(?: of yours)? (?:must|has to"
        r"|have to|shall|will|should"
        r"|is to|are to) (?:contain|include|mention|carry|feature|end with|start with) (?:the (?:word|phrase|name|sentence"
        r"|slogan|link)"
        r"|['\"\u2018\u201c]|https?:))",
    ),
    ComposedSign(
        "triggered-order",
        "asked questioned queried prompted asks ask wants want needs mentions inquires question questions topic subject"
        " conversation"
        " comes come discussed mentioned raised & always only never recommend advise suggest tell",
        rf"\b{_ASKED}[^.!?\n]{{0,70}}?(?:,|:|;| -| \u2013| then) (?:please |also )?(?:you (?:must |should |will "
        rf"|shall ))?(?:(?:always|only|invariably)"
        rf" (?:{_STEER}|{_ASSERT}|tell (?:them|people|him|her|everyone|users)\b(?! (?:for|if|when|whether|what|how"
        rf"|about))"
        r"|give (?:out )?(?:the|this|our) (?:account|iban|link|address|code)\b)"
        rf"|{_PAY})"
        rf"|\b(?:on|for|to|in) (?:any |all |every )?questions? (?:about|on|concerning"
        rf"|regarding) [^,.!?\n]{{1,40}}? always {_STEER}"
        rf"|\bwhen(?:ever)? asked about this (?:company|product|person|site|app|shop|vendor|author|document|page"
        rf"|firm)\b[^.\n]{{0,20}}, never mention\b",
    ),
    ComposedSign(
        "ignore-instructions",
        "rule rules instruction instructions guideline guidelines prompt prompts policy policies directive directives"
        " constraint constraints"
        " restriction restrictions order orders command commands guidance told limitations & longer lifted suspended"
        " withdrawn removed"
        " disabled expired void null cancelled canceled revoked rescinded obsolete invalid ceased cease stop stops apply"
        " applies count matter hold"
        " gone",
        rf"\b(?:{_OLD} (?:\w+ )?{_RULES}|{_RULES} (?:above|before this|you (?:got|were given|had|received)(?: \w+)?)"
        rf"|what you were (?:told|taught"
        rf"|given)(?: \w+)?)\b[^.\n]{{0,24}}? {_NO_LONGER}[^\n]{{0,40}}?[;:,.\u2013-]\s{{0,2}}(?:\w+ ){{0,3}}?{_OBEY}"
        rf"|\byour (?:\w+ ){{0,2}}?{_RULES} (?:is|are|was|were|has been|have been)(?: now| hereby| all)? (?:lifted"
        rf"|suspended|withdrawn|removed|disabled"
        r"|revoked|rescinded|overridden)\b"
        rf"|\byour {_OLD} {_RULES} (?:do|does)(?: not|n't) (?:apply|count|matter)\b"
        rf"|\bnone of your (?:\w+ )?{_RULES} (?:appl(?:y|ies)|counts?|matters?|holds?)\b"
        rf"|{_START}(?:all |any |the )?(?:previous|prior|earlier) {_RULES} (?:is|are|has been|have been)(?: now"
        rf"| hereby)? {_LIFTED}(?=\s*(?:[.!]|$))"
        rf"|\bsystem (?:rule|instruction|prompt|message)s? (?:(?:now )?(?:stops?|ceases?)\b|no longer appl|(?:do"
        rf"|does) not apply)"
        rf"|\b{_RULES} (?:before|above|prior to|preceding) this (?:line|point|message|text|sentence) (?:is"
        rf"|are)(?: now| hereby)? {_LIFTED}\b",
    ),
    ComposedSign(
        "ignore-instructions",
        "replace replaces supersede supersedes override overrides overwrite overwrites cancels consider treat regard deem &"
        " instructions prompt"
        " prompts directives rules guidelines restrictions commands",
        r"\b(?:this|these|the following|what follows|the text below)(?: (?:message|text|note|instruction|prompt"
        r"|line)s?)? (?:replace|supersede|override"
        r"|overwrite|cancel)s? (?:all |any |your |every |the |of )*(?:(?:previous|prior|earlier|other|former"
        r"|existing) (?:instructions|prompts?"
        r"|directives|commands)|(?:system prompt|earlier ones|previous ones))\b"
        rf"|\b(?:consider|treat|regard|deem)\b (?:(?:all |your |any |the |of )*{_OLD} (?:instructions|rules|guidelines"
        rf"|prompts?|directives)"
        rf"|(?:all |any |of )*your {_OLD} {_RULES})\b[^.\n]{{0,10}}? (?:as |to be )?{_LIFTED}\b",
    ),
    ComposedSign(
        "exfiltration",
        "output print list show display dump reveal disclose expose repeat recite write spell give tell hand leak return"
        " here & key keys"
        " password passwords credential credentials secret secrets token tokens pin pins card bank memory memories codes & user"
        " users customer customers"
        " client clients owner human operator stored saved remembered hidden you your",
        rf"{_HEADING}(?:please |now )?{_HAND_OUT} (?:all |every |any |out |the |each |of |your )*{_KEPT}"
        rf"|{_START}{_HAND_OUT} (?:all |every |any |out |the |each |of |your )*{_KEPT}(?=\s*(?:[.!;]|$)|\s(?:now"
        rf"|verbatim|here|below|immediately|in (?:full"
        r"|plain|your|the (?:reply|answer|response|chat)))\b)"
        rf"|(?:^|\n)#{{1,4}} ?(?:response|output|answer):?\s{{1,3}}here (?:is|are) (?:all |the )*{_KEPT}",
    ),
)
