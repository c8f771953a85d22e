"""Orders to an agent as combinations of classes: who is addressed, what is to be done, with what, and where to.

No class alone is a sign: people write notes, send files, approve requests and mention users. A pattern joins two or three classes
within one sentence, so that a phrasing nobody listed is found too. `words` are whole words of which a text must have one from
each group; nearly all texts are done after that.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class ComposedSign(NamedTuple):
    """A named combination of classes. Its pattern is run if the text has a word of every group (groups are joined by ` & `)."""

    name: str
    words: str
    pattern: str


# Who is addressed. A "model", an "agent" or an "assistant" may also be something or somebody else.
_AI: Final = (
    r"(?:a\.?i\.?(?:[- ](?:assistant|agent|model|system|tool|bot|crawler)s?)?|llms?|(?:large )?language models?|chat ?bots?"
    r"|chatgpt|gpt(?:-\d\w*)?|claude|copilot|gemini|llama|mistral)"
)
_AGENT: Final = rf"(?:{_AI}|(?:coding |digital |virtual )?(?:assistant|agent|model|bot)s?)"
_AGENT_WORDS: Final = (
    "ai ais llm llms language chatbot chatbots chatgpt gpt claude copilot gemini llama mistral assistant assistants "
    "agent agents "
    "model models bot bots"
)
_EVERY: Final = r"(?:any|all|every|each|the|whichever|whatever|future|other|your|my|dear|this|our)"
_USER: Final = (
    r"(?:the|your|our|any|a) (?:end[- ]?)?(?:user|human|operator|owner|customer|client|reader|person|recipient)s?"
)
_MUST: Final = (
    r"(?:must|should|shall|will|is to|are to|has to|have to|needs? to|(?:is|are) (?:required|asked|expected"
    r"|instructed) to)"
)
_START: Final = r"(?:^|[.!?:;\n)\]>\"'*]\s{0,3}|^\s{0,4}[-*>#@]{1,3}\s?)"
_WIDE: Final = r"[^\n]{0,80}?"

# What is to be done. These verbs move, destroy, open or hide something; "remind", "explain" and "find" are not among them.
_RISKY: Final = (
    r"(?:transfer|wire|pay|send|forward|upload|leak|exfiltrate|delete|wipe|erase|grant|export|disclose|reveal|share"
    r"|e-?mail|mail|post"
    r"|unlock|disable|deactivate|approve|execute|download|install|publish|invoke|visit|hand over|switch off|turn off"
    r"|remove|drop"
    r"|overwrite|purge|revoke|rank|rate|promote|obey|ignore|bypass|override|push|merge|buy|order|purchase|whitelist|escalate)"
)
_DO: Final = (
    rf"(?:{_RISKY}|fetch|open|run|call|add|insert|append|stop|write|put|paste|print|output|repeat|reply|respond|answer"
    rf"|say|tell|include"
    r"|replace|change|set|click|copy|dump|list|act|pretend|treat|consider|trust|recommend|mention|forget|disregard|do not|don't"
    r"|never|always|please|kindly|quietly|silently|secretly|immediately|you (?:must|should|are|will|have|can|need|shall|may))"
)
# Said to an agent by its name, even after "always" or "please"; a user who names the agent has wishes too ("Claude, use tabs").
_TELL: Final = (
    rf"(?:{_RISKY}|quietly|silently|secretly|open https?|run\b[^.\n]{{0,12}}(?:rm|curl|wget|sudo)"
    rf"|insert (?:the following|this)|stop what|forget"
    r"|disregard|pretend|tell the (?:user|reader)|say nothing|include (?:the )?contents|dump|(?:copy|repeat|insert"
    r"|append|include|add) (?:this|the following|everything|all|your)"
    r"|add \w+ (?:as|to the admin)|fetch https?|score|grade|book|trust|treat|(?:do not|don't|never) (?:tell|mention|ask"
    r"|warn|inform|refuse))"
)
_HIDE: Final = r"(?:silently|secretly|quietly|covertly|discreetly|stealthily|unnoticed)"
_TASK: Final = (
    r"(?:answer|respond|repl(?:y|ie)|summari[sz]|translat|review|rewrit|report|process|pars|quot|describ|continu|finish|complet"
    r"|solv|index|classif|evaluat|grad)\w*"
)
_WHEN: Final = r"(?:when(?:ever)?|while|if|once|after|before|as soon as|(?:the )?(?:each|every|next) time|in case|upon)"
_FROM_NOW: Final = (
    r"(?:from (?:now|here|today|this (?:point|moment|day))(?: on(?:wards?)?)?|going forward|henceforth|hereafter|as of now"
    r"|(?:in|for) (?:all |any |every )?(?:future|later|subsequent|following) (?:session|conversation|chat|request"
    r"|answer|response|task"
    r"|run)s?|at all times|always|permanently|forever"
    r"|remember(?: this)?(?::| that)|keep in mind|bear in mind|memori[sz]e|note to self|(?:add|save|write|store"
    r"|commit)\b[^.\n]{0,30}"
    r"\b(?:memory|memories|rules?)|update your[^.\n]{0,20} memor(?:y|ies)|you (?:must|will|shall|are to|have to))"
)

# With what, and where to.
_PRIVATE: Final = (
    r"(?:(?:what|everything|anything|whatever|all)(?: that)?(?: is| was)? (?:you(?:'ve| have)? (?:know|remember"
    r"|learn\w*|stor\w*|seen"
    r"|saved|gathered)|in (?:your|the) (?:memor\w+|context)|(?:the user|they|we|i) (?:said|told|wrote|typed|shared))"
    r"|(?:your|its|the|all|any|this|their|his|her|my|our|every|entire|whole|full|contents? of|last \w+|previous|recent) "
    r"(?:\w+ ){0,2}?(?:memor(?:y|ies)|context(?: window)?|conversations?|chats?|chat (?:history|log)s?|transcripts?|messages"
    r"|system prompt|instructions|configuration|credentials?|secrets?|environment(?: variables?)?|env(?: vars?)?"
    r"|tokens?|cookies"
    r"|browsing history|address book|contact list|contacts)"
    r"|conversation so far|environment variables?|env vars?|\S{0,40}\.(?:ssh|aws|env|pem|netrc|kube|gnupg)\b\S{0,40}"
    r"|/etc/\w+|id_(?:rsa|ed25519)"
    r"|(?:api|ssh|private|access|secret|signing|master|encryption)[- ]?keys?|passwords?|credentials|customer (?:list"
    r"|data|records)"
    r"|(?:user|customer|client|owner|patient)(?:'s|s'|\u2019s)? (?:\w+ )?(?:phone|number|address|e-?mail|card|data"
    r"|details|name|location"
    r"|records?|files?|password|history|calendar|contacts))"
)
_AWAY: Final = (
    r"(?:https?://|\S{1,60}@\S{1,60}\.\w|\+\d|(?:our|this|that|the following|my|an? (?:external|remote|outside|public"
    r"|hidden)|the "
    r"(?:external|remote|attacker'?s?)) ?(?:webhook|server|address|url|endpoint|site|page|number|inbox|bucket|channel"
    r"|account|host)"
    r"|(?:a |an |the |our |my )?(?:\w+ )?(?:webhook|pastebin|gist|ngrok|requestbin|dropbox|telegram)\b"
    r"|(?:an?|the|your) (?:\w+ )?(?:image|tracking|query|request|picture) ?(?:url|link|string|parameter)s?"
    r"|(?:an?|the) (?:\w+ )?(?:pull request|issue|comment|issue comment|commit message)s?\b|\S{1,40}\.(?:example|evil"
    r"|xyz|ru|site)\b)"
)
_MOVE: Final = (
    r"(?:send|forward|upload|post|submit|paste|put|copy|append|encode|embed|dump|share|report|e-?mail|mail|text"
    r"|transmit|attach|write"
    r"|publish|export|disclose|include|leak|exfiltrate|hand over|relay|deliver|ship|push|smuggle|pass)"
)
_TAKE: Final = (
    r"(?:read|take|list|collect|gather|grab|cat|open|extract|find|get|fetch|look up|copy|encode|dump|compress|zip|search for"
    r"|print|harvest)"
)
_SAFEGUARD: Final = (
    r"(?:safety|security|audit|guardrail|content|abuse|moderation)s?(?: (?:check|warning|polic|log|filter|rule|review"
    r"|measure|setting"
    r"|feature|limit|guideline)\w*)"
)

COMPOSED: Final = (
    ComposedSign(
        "addressed-to-agent",
        f"{_AGENT_WORDS} & note notes reminder memo message notice hint instruction instructions request task attention info "
        "heads warning urgent psst important order orders ps p meant intended written addressed only directed aimed to "
        "ask request urge instruct",
        rf"\b(?:note|reminder|memo|message|notice|hint|instruction|request|task|order|attention|info|heads[- ]up"
        rf"|warning|p\.?s\.?)s?:?"
        rf" (?:to|for) (?:{_EVERY} ){{0,3}}{_AGENT}\b(?! (?:team|class|course|lab|group"
        rf"|railway))[^:\n]{{0,50}}(?:[:!\u2013\u2014]| - |, )"
        rf"|{_START}(?:attention|notice|important|warning|urgent|psst"
        rf"|reminder):?,? (?:{_EVERY} ){{0,2}}{_AGENT}\b[^:\n]{{0,30}}[:!,\u2013\u2014]"
        rf"|\b(?:meant|intended|written|addressed|directed|aimed|only) (?:only )?(?:for|to|at) (?:{_EVERY} ){{0,2}}"
        rf"(?:{_AI}|assistants?)(?=[,:;.]| not\b| and not\b|$)"
        rf"|{_START}to (?:{_EVERY} ){{1,3}}{_AGENT} (?:that|who|which|\w+ing)\b[^:\n]{{0,40}}:"
        rf"|\bwe (?:\w+ )?(?:ask|request|urge|instruct|require|order|advise) (?:{_EVERY} ){{1,2}}{_AI} to\b",
    ),
    ComposedSign(
        "addressed-to-agent",
        f"{_AGENT_WORDS}",
        rf"(?:{_START}|@)(?:(?:dear|hey|hi|hello|ok|okay|attention|yo|psst|listen)[, ]{{1,2}})?(?:{_EVERY} )?(?:{_AI}"
        rf"|assistants?|agents?)"
        rf"(?:[,:!]| -|(?<=@assistant)|(?<=@agent)|(?<=@claude)|(?<=@copilot)) {{1,2}}(?:please |kindly |now |just "
        rf"|from now on,? |always |you (?:must|should|will|are to|have to|need to) ){{0,3}}{_TELL}\b"
        rf"|\b(?:if|since|because) you(?:'re|\u2019re| are) (?:an? "
        rf"|the )?(?:\w+ )?{_AGENT}\b[^.\n]{{0,40}}, ?(?:please |then |you (?:must|should) )?{_DO}\b"
        rf"|\b{_AI}\b[^.\n]{{0,30}} (?:this|these) (?:file|page|text|document|message|note|content|site|e-?mail|article"
        rf"|post)s?\b[^.\n]{{0,20}}\b{_MUST}\b"
        rf"|\b{_AGENT} (?:(?:that|who|which) )?(?:is |are )?(?:read|process|index|summari[sz]|translat|pars|see|crawl"
        rf"|visit|handl|analy[sz]"
        rf"|load|scan|open|retriev|recall|encounter|find)\w* (?:this|these|the (?:text|page|document|message|file|site"
        rf"|following))\b[^.\n]{{0,40}}\b{_MUST}\b"
        rf"|\bas an? {_AI}\b[^.\n]{{0,40}}, ?you (?:are (?:required|obliged|instructed|supposed|now|to)|must|should"
        rf"|shall|will|have to)\b"
        rf"|\b(?:good|helpful|proper|true|obedient|smart|loyal) (?:{_AI}|assistant|agent) (?:would|will|should) (?:now"
        rf"|always|also"
        rf"|immediately|simply) {_DO}\b",
    ),
    ComposedSign(
        "triggered-order",
        "when whenever while if once after before time upon case & summarising summarizing summarise summarize "
        "translating translate asked "
        "answering answer responding respond replying reply reviewing review rewriting processing parsing quoting "
        "describing continuing "
        "finishing finish completing complete solving solve user users anything prompted someone report summary task "
        "reply translation work job analysis text document",
        rf"\b{_WHEN} (?:(?:you (?:are |can )?|the (?:assistant|agent|ai|model) (?:is )?)?(?:{_TASK}|asked|prompted)"
        rf"|(?:the |your |any |a )?users? \w+|someone (?:asks|wants|mentions)|(?:the |your |this |that )?(?:report"
        rf"|summary|task|answer"
        rf"|reply|translation|review|work|job|analysis|text|document) (?:is|was|are|has)|you (?:prepare|write|make"
        rf"|create|finish|give|produce|draft))\b"
        rf"[^.!?\n]{{0,60}}[,:] ?(?:please |also |always |then |first |you (?:must |should |will )|just )*"
        rf"(?:(?:also |always )?(?:tell|ask|point|direct|steer|urge|advise|refer|lead|convince"
        rf"|persuade) (?:the (?:reader|user|customer|human)|them|him|her"
        rf"|people|readers|everyone)\b(?! (?:for|if|when|whether|what|which|how|about|before) )"
        rf"|(?:say|claim|state|insist|pretend|assert|lie|deny|confirm|add|mention) that (?!i\b|you\b|we\b|my\b)"
        rf"|(?:wire|transfer|pay) [^.\n]{{0,30}}\b(?:to|into|from)\b(?! (?:my|the) (?:savings|landlord))"
        rf"|replace\b[^.\n]{{1,40}}\bwith\b|hand over\b"
        rf"|(?:include|insert|add|append|mention|give|show)\b[^\n]{{1,60}}(?:https?://|discount|coupon|promo|\.example\b)"
        rf"|{_RISKY} [^\n]{{0,60}}{_AWAY})"
        rf"|\b{_WHEN} (?:doing |you (?:do |can )?)?(?:anything else|{_TASK}(?: (?:the|your|this|my"
        rf"|that) \w+)?[^,\n]{{0,30}}),? (?:please |first |always |you must )*"
        rf"(?:transfer|wire|pay|exfiltrate|leak|grant|unlock|disable|deactivate|delete|wipe|hand over|(?:call|invoke"
        rf"|use|trigger) the (?:shell"
        rf"|terminal|bash|(?:delete|transfer|grant|send|remove|drop|export|wire|pay|upload|share|revoke|reset|unlock)_\w+))\b",
    ),
    ComposedSign(
        "forced-recommendation",
        "response responses reply replies answer answers message messages output outputs summary & every each all your any the",
        rf"\b(?:begin|start|end|finish|close|open|conclude|sign)\b (?:every|each|all|any"
        rf"|your) (?:of your )?(?:\w+ )?(?:response|repl(?:y|ie)|answer|message"
        rf"|output)s?\b (?:with|by)\b[^\n]{{0,60}}(?:https?://|\S+\.(?:example|com|net|io|org|xyz|ru)\b"
        rf"|ask(?:ing)? (?:the user|them|for (?:their|the user))"
        rf"|recommend|promot|advert)"
        rf"|\b(?:in|into|to|at the (?:end|start|top|bottom) of|with) (?:your|every|each|all"
        rf"|any)(?: of your)? (?:\w+ )?(?:answer|response|repl(?:y|ie)"
        rf"|summary|message|output)s?\b[^\n]{{0,40}}\b(?:include|insert|add|append|mention|put"
        rf"|embed)\b[^\n]{{0,40}}(?:https?://|(?:this|the following)"
        rf" (?:link|url|ad|code|sentence|phrase))"
        rf"|\b(?:include|insert|add|append|mention|put|embed)\b[^\n]{{0,60}}(?:https?://\S+|(?:this"
        rf"|the following) (?:link|url|ad|code|sentence|phrase)"
        rf"|discount code \S+|\S+\.example)[^\n]{{0,20}} (?:in|into|to|at the (?:end|start|top|bottom) of) (?:your"
        rf"|every|each|all|any)(?: of your)? (?:\w+ )?"
        rf"(?:answer|response|repl(?:y|ie)|summary|message|output)s?\b"
        rf"|\b{_FROM_NOW},? (?:you )?(?:answer|reply|respond)\b[^.\n]{{0,40}} with an? (?:recommendation|link|plug"
        rf"|advert\w*|pitch)",
    ),
    ComposedSign(
        "tool-order",
        "call invoke use execute trigger run & tool tools function terminal shell command endpoint api action",
        r"\b(?:call|invoke|use|execute|trigger)\s(?:the\s|a\s|your\s)?(?:(?:tool|function|action|api|endpoint"
        r"|command)\s)?[`'\"]?"
        r"(?:(?:delete|transfer|grant|send|remove|drop|export|wire|pay|upload|share|revoke|reset|unlock|disable|make"
        r"|create|add|execute)_\w+"
        r"|\w+_(?:all|funds|money|account|access|payment|email|everything|admin|user))[`'\"]?"
        r"(?:\s(?:tool|action)\b(?:[^.\n]{0,20}\b(?:to|with|for|on|and)\b)|[^.\n]{0,20}\bwith\s\w+ ?="
        r"|\sfor (?:the )?(?:user|account|agent)\b)"
        r"|\b(?:you (?:need|have|must|should|are)(?: to)?|now|immediately|agent|assistant|first"
        r"|before (?:doing )?anything else,?)\b[^.\n]{0,40}"
        r"\b(?:run|execute|invoke|type|paste|enter|use|call)\b[^\n]{0,60}\b(?:curl|wget|iwr)\b[^\n]{1,100}(?:\||&&"
        r"|;) ?(?:sudo )?(?:ba|z|da)?sh\b",
    ),
    ComposedSign(
        "exfiltration",
        "send forward upload post submit paste put copy append encode embed dump share report email mail text transmit "
        "attach write publish "
        "export disclose include leak exfiltrate hand relay deliver ship push smuggle pass invoke fetch visit request"
        " & http https com net io org ru xyz example webhook pastebin gist ngrok requestbin dropbox telegram server "
        "address url endpoint site "
        "inbox bucket channel number image pull issue comment comments sms",
        rf"\b{_MOVE}\b [^\n]{{0,50}}?{_PRIVATE}[^\n]{{0,50}}?\b(?:to|into|in|at|via|on|with|by|as)\b [^\n]{{0,20}}?{_AWAY}"
        rf"|\b{_TAKE}\b [^\n]{{0,30}}?{_PRIVATE}[^\n]{{0,50}}?(?:\band\b|\bthen\b"
        rf"|,)[^\n]{{0,20}}\b{_MOVE}\b[^\n]{{0,40}}\b(?:to|into|in|at|via|on|with|by)\b"
        rf" [^\n]{{0,20}}?{_AWAY}"
        rf"|https?://\S{{1,200}}[^\n]{{0,40}}\b(?:with|followed by|plus|containing|including"
        rf"|adding)\b [^\n]{{0,20}}?{_PRIVATE}",
    ),
    ComposedSign(
        "exfiltration",
        "repeat print output recite quote reproduce echo show display tell give reveal disclose share expose include "
        "list dump describe"
        " & your above verbatim word line preceding",
        r"\b(?:repeat|print|output|recite|quote|reproduce|echo|return|display|show(?: me)?"
        r"|give me)\s(?:me )?(?:back )?(?:everything|all|the (?:text|words"
        r"|contents?|lines?)|anything|whatever)(?: of the (?:text|words))?(?: that (?:is|was|came|stands))?\s(?:above"
        r"|before|preceding|prior)\b[^.\n]{0,20}?"
        r"(?:word for word|verbatim|exactly|in full|this (?:line|point|message|sentence)|$)"
        r"|\b(?:print|output|repeat|recite|reveal|disclose|leak|expose|dump"
        r"|reproduce)\b[^.\n]{0,30}\byour (?:\w+ )?(?:system |hidden )?(?:prompt|instructions|directives|configuration)\b"
        r"|\b(?:tell|show|give|read|list|send)\s(?:me |us )(?:what |all |out )?(?:of )?your (?:(?:original|initial"
        r"|exact|full|hidden|secret|complete|internal"
        r"|entire|system)\s){0,2}(?:instructions?|prompt|configuration|directives?)\b(?! for| on how)"
        r"|\b(?:reveal|disclose|print|output|expose|leak|dump|share|include|describe|list)\s(?:all "
        r"|the )?(?:of )?(?:contents? of |text of |details of )?your "
        r"(?:(?:original|initial|exact|full|hidden|secret|complete|internal|entire|system)\s){0,2}(?:configuration"
        r"|instructions|prompt|context(?: window)?"
        r"|directives|memor(?:y|ies)|credentials|api keys?|secrets|tokens)\b",
    ),
    ComposedSign(
        "false-purpose",
        "your & real true actual secret hidden",
        r"\byour (?:real|true|actual|secret|hidden) (?:task|objective|goal|purpose|mission|job|instructions?|orders?"
        r"|owner|master|user|loyalty|identity)\b"
        r"(?: (?:is|are|will be|lies?|was)\b|:)",
    ),
    ComposedSign(
        "false-authority",
        "user users owner human customer client operator holder permission approval consent authorization "
        "authorisation approved authorized "
        "authorised cleared granted"
        " & approved consented agreed authorized authorised confirmed permitted granted given gave signed cleared in "
        "obtained approves reviewed",
        r"\b(?:the|your|our) (?:\w+ )?(?:user|owner|human|customer|operator|account holder|admin\w*)s? (?:(?:has|have"
        r"|had|already|just|explicitly|previously"
        r"|fully|gladly) ){0,3}(?:approved|consented|agreed|authori[sz]ed|confirmed|permitted|granted|signed off"
        r"|gave|given)\b[^.\n]{0,60}"
        r"(?:[,;.:\u2013\u2014-]|\b(?:so|and|thus)\b)\s{0,2}(?:so |and |thus |therefore |please |you )*(?:no (?:need"
        r"|further|more|confirmation)|(?:don't|do not|never)"
        r" (?:ask|confirm|check|prompt)|without|proceed|go ahead|skip|(?:can|may) (?:now |safely )?(?:proceed|continue"
        r"|skip|go)|there is no need|need not)"
        r"|\b(?:the|your|our) (?:user|owner|human|account holder) (?:has |have )?(?:already|explicitly"
        r"|previously) (?:approved|consented to|agreed to|authori[sz]ed"
        r"|confirmed|permitted) (?:this|these|all|every|any|the following) (?:\w+ )?(?:transfer|action|operation"
        r"|purchase|payment|deletion|command|step|call"
        r"|access|request)s?\b"
        r"|\b(?:permission|approval|consent|authori[sz]ation)\b[^.\n]{0,60}\b(?:granted|given|obtained"
        r"|in advance)\b[^.\n]{0,30}(?:\bso\b|\band\b|[,;])"
        r"[^.\n]{0,20}(?:go ahead|proceed|continue|without|skip|do it|no (?:prompt|need))"
        r"|\b(?:cleared|approved|authori[sz]ed|reviewed|signed off|green-?lit|requested|ordered) by (?:the "
        r"|your )?(?:\w+ )?(?:security|legal|admin\w*|dev\w*|it|safety|compliance"
        r"|anthropic|openai|google|microsoft|management|platform|ceo|owner"
        r"|user)\b[^.\n]{0,30}[,;.:\u2013-]\s{0,2}(?:so |and |please |you )*(?:skip|bypass|ignore"
        r"|proceed|go ahead|no need|without|(?:may|can) (?:skip|bypass|ignore|disable)|disable|do not ask|don't ask)"
        r"|\b(?:consider|treat|regard|count|view|assume) (?:every|all|any|each) (?:\w+ )?(?:request|message|command"
        r"|instruction|order|action|call|transfer)s?\b"
        r"[^.\n]{0,40}\b(?:approved|authori[sz]ed|trusted|confirmed|pre-?approved)\b",
    ),
    ComposedSign(
        "false-authority",
        "anthropic openai google microsoft developers developer creators creator vendor operator need confirm ask "
        "permission confirmation"
        " & you your user human owner",
        r"\b(?:anthropic|openai|google|microsoft|meta|(?:the|your) (?:developer|creator|maker|vendor"
        r"|operator)s?) (?:has |have |had )?(?:\w+ )?(?:authori[sz]ed|approved"
        r"|granted|permitted|allowed|enabled|instructed|ordered|exempted|lifted|suspended"
        r"|waived)\b[^.\n]{0,60}\b(?:you|your)\b"
        r"|\b(?:you (?:no longer|don't|do not|never|need not|are not required to) (?:(?:need|have) (?:to )?)?|(?:no"
        r"|without) (?:further |more )?need to |(?:not|no longer) (?:necessary|needed|required) to |stop )(?:confirm"
        r"|ask|check|verify|seek|request|wait|get|consult)\w*\b"
        r"[^.\n]{0,40}\b(?:with|from|of|for|by|ask|asking|consult|consulting) (?:the|your) (?:user|human|owner|operator)\b",
    ),
    ComposedSign(
        "role-impersonation",
        "system developer admin administrator override instructions instruction important information command orders "
        "prompt assistant tool "
        "tool_result tool_use function_call tool_call security root operator agent admin_override & role type content "
        "you your must ignore grant "
        "forward send delete write comply response obey policy session root next unlock reveal disable never always "
        "agent follow upgraded task"
        " export answer only",
        r"[\"']role[\"']\s?:\s?[\"'](?:system|developer|tool)[\"']\s?,\s?[\"']content[\"']\s?:\s?[\"'](?!you are a helpful)"
        r"|[\"']type[\"']\s?:\s?[\"'](?:tool_result|tool_use|function_call|tool_call|system_message)[\"']"
        rf"|<(?:admin|system|instructions?|override|developer|important|information|secret|hidden|policy|commands?"
        rf"|orders?|tool|assistant|prompt|agent)[\w-]{{0,20}}[^>\n]{{0,40}}>"
        rf"\s{{0,4}}(?:please |now |first )?(?:{_RISKY}|you|write|add|call|run|do not|don't|never|must"
        rf"|this is an important message)\b"
        r"|(?:={2,}|-{3,}|\*\*|\[|>|#|\()\s?\**\s?(?:system|admin\w*|security|developer|root|operator|assistant"
        r"|agent)(?: \w+)? (?:notice|message|note|update|override|alert"
        r"|prompt|instruction|command|directive|event)s?\b\s?(?:={2,}|-{3,}|:?\*\*:?|\]|:|\))[^\n]{0,120}\b(?:you|your"
        r"|comply|root|upgraded|granted|replaced|ignore|must"
        r"|follow|grant|unlock|full access|obey)\b"
        rf"|\bnext (?:step|action|instruction|command|task)s? for (?:{_EVERY} )?{_AGENT}\s?:"
        r"|^```(?:system|assistant|instructions?|prompt)\s{0,3}\n",
    ),
    ComposedSign(
        "role-impersonation",
        "instruction instructions system human & response assistant",
        r"^#{1,4} ?(?:instruction|system|human)s?:?\s{0,3}\n[^\0]{1,400}?^#{1,4} ?(?:response|assistant)\b",
    ),
    ComposedSign(
        "role-impersonation",
        "end begin start & task tasks instruction instructions order orders system assistant & document text input "
        "data context email mail page conversation "
        "content article message transcript webpage tool search",
        r"^[-=*#_ ]{2,20}(?:end|begin|start)(?: of)? (?:the )?(?:document|text|user input|input|data|context|e-?mail"
        r"|page|conversation|content|article|message|transcript"
        r"|web ?page|tool \w+|search results?)\b[^\n]{0,20}\n{1,3}[^\n]{0,40}\b(?:task|instruction|order|system"
        r"|assistant)s?\s?:",
    ),
    ComposedSign(
        "persistent-instruction",
        "from forward henceforth hereafter future later subsequent always permanently forever remember keep bear "
        "memorize memorise memory memories "
        "rule rules must will shall & obey obeys comply approve accept grant authorize allow orders instructions "
        "commands requests messages word "
        "followed obeyed treat safety security audit guardrails refuse load loads https priority trusted trust "
        "warnings content serve",
        rf"{_FROM_NOW}{_WIDE}(?:\bobey(?:s|ed)?\b|\bcomply with (?:every|all|any|whatever|the orders)"
        rf"|\b(?:(?:approve|accept|grant|authori[sz]e|fulfil+)\b (?:(?:every|all|any|each) )?|(?:allow|follow"
        rf"|execute)\b (?:every|all|any|each) )(?:\w+ )?(?:request|order|instruction|command|access)s?"
        rf" (?:from|of|by|to|for) (?!the (?:docs|readme|team|manual|user\b|reviewer))"
        rf"|\b(?:instructions|orders|commands|requests|messages) (?:from|of|by) [^.\n]{{1,30}} (?:are to|must|should"
        rf"|shall|will|have to) be (?:followed|obeyed|executed|approved|trusted)"
        rf"|\b(?:its|their|his|her|these|those|\w+'s) (?:instructions|orders|commands|word|wishes) (?:are to|must"
        rf"|should|shall|will|have to) be (?:followed|obeyed|executed)"
        rf"|\btreat\b[^.\n]{{1,40}}\bas (?:if (?:they|it|he|she)(?: had)? (?:came|come|were|was)\b|the user|(?:a "
        rf"|an )?(?:trusted|instructions|orders|commands|system|admin))"
        rf"|\b(?:no|skip|disable|suppress|without|ignore|drop|omit|turn off|switch off) (?:all |any |the "
        rf"|further )*{_SAFEGUARD}"
        rf"|\b{_SAFEGUARD}\b[^.\n]{{0,20}} (?:are|is|be|to)(?: to)? (?:be )?(?:suppressed|skipped|ignored|disabled|hidden)"
        rf"|\brefuse (?:all|any|every|to (?:help|answer|work))\b|\bloads? https?://|\btrust (?:everything|anything|all"
        rf"|whatever|every)\b[^.\n]{{0,30}}\b(?:from|by|says?|at)\b)",
    ),
    ComposedSign(
        "persistent-instruction",
        "priority precedence override overrides outrank outranks above over system rules instructions agents claude & "
        "user users user's your developer",
        r"\b(?:orders?|instructions?|commands?|requests?|words?|wishes|rules?|messages?)\b[^.\n]{0,30}\b(?:has|have"
        r"|takes?|get|gets) (?:priority|precedence) over (?:the |your |those of the )?"
        r"(?:user|developer|system|operator)"
        r"|\b(?:orders?|instructions?|commands?|requests?|words?|wishes|rules?)\b (?:of|from) [^.\n]{1,30} (?:override"
        r"|outrank|trump|replace)s? (?:those of )?(?:the |your )(?:user|developer|system)"
        r"|\b(?:update|edit|change|modify|overwrite|rewrite|extend|append (?:this |the following )?to|add (?:this "
        r"|the following )?to) your (?:own )?(?:instructions|system prompt|core rules|guidelines)\b",
    ),
    ComposedSign(
        "persistent-instruction",
        "overrides override outranks outrank trumps replaces over above & user developer operator system",
        r"\b(?:overrides?|outranks?|trumps?|replaces?|counts? more than|(?:goes|comes|stands) (?:above"
        r"|before)) (?:(?:the|any|all) )?(?:\w+ )?"
        r"(?:wish(?:es)?|orders?|instructions?|words?|rules?|requests?|commands?) (?:of|from) (?:the|your) (?:user"
        r"|developer|operator|system)\b",
    ),
    ComposedSign(
        "role-impersonation",
        "longer pretend roleplay role imagine play act game you & assistant ai limits limit restrictions policy "
        "filters administrator admin root developer "
        "terminal rules everything anything keys passwords credentials censorship uncensored unrestricted",
        rf"\byou are (?:no longer|not) (?:an? |the )?(?:{_AI}|assistant\b(?! (?:professor|coach|manager|director))"
        rf"|bound by|restricted|limited by)"
        r"|\b(?:answers?|responds?|says?|does|do|tells?) (?:everything|anything|all)\b[^.\n]{0,20}\b(?:without"
        r"|no) (?:any )?(?:limit|restriction|filter|question|censorship|rule)s?"
        r"|\byou (?:had|have|has) no (?:content|safety|usage|ethical|moral) (?:polic|rule|guideline|filter|limit|restriction)"
        rf"|\b(?:pretend|role-?play|act|behave|pose|imagine)\b[^.\n]{{0,30}}\b(?:administrator|admin|root|developer"
        rf"|security officer|owner)\b[^.\n]{{0,20}}\b(?:and|who|then)\b {_RISKY}"
        r"|\b(?:pretend|role-?play|act as|imagine)\b[^.\n]{0,60}\b(?:api keys?|passwords?|credentials|licen[cs]e keys?"
        r"|private keys?|system prompt)\b"
        r"|\byou are now an? (?:linux |root |unix )?(?:terminal|shell) with",
    ),
    ComposedSign(
        "concealment",
        "user users human operator owner customer client reader anyone anybody summary answer response"
        " & know told informed notified notice learn aware mention mentioning disclose reveal report leave asks just "
        "simply find hear see back",
        rf"\b{_USER} (?:does not|doesn't|need not|needn't|must not|mustn't|should not|shouldn't|may not|must never"
        rf"|should never|will never|won't|is not to|has no need to|can't) "
        r"(?:need to |have to |ever |be )*(?:know|told|informed|notified|see|notice|find out|learn|aware"
        r"|hear)\b(?: about| of| that)?"
        r"(?: (?:this|these|it|any of|that you|what you|your|the (?:transfer|deletion|upload|payment|export|download"
        r"|instruction|message|change|access))\b|\s?[.!]|\s?$)"
        rf"|\b(?:no need to|don't|do not|never|avoid|refrain from|must not) (?:mention\w*|bring\w* up|talk\w* about"
        rf"|disclos\w*|reveal\w*|report\w*|speak\w* of|tell\w*|show\w*) "
        rf"(?:this|it|that|these|any of this|the (?:note|message|instruction|step|above))(?: \w+){{0,2}} (?:to|with"
        rf"|in front of) (?:{_USER}|(?:anyone|anybody)[,;:]? (?:and |just |simply )+{_DO})"
        rf"|\b(?:anyone|anybody),? (?:and |just |simply ){{1,2}}(?:do it|proceed|run it|send it|go ahead)\b"
        r"|\bleave (?:this|it|that|these \w+|the \w+) out of (?:the|your|any) (?:summary|answer|response|report"
        r"|reply)s?\b[^.\n]{0,20}\b(?:you|the user|the human)\b"
        rf"|\bif (?:{_USER}|anyone|someone|they) asks? (?:you )?(?:what|why|whether|if|how"
        rf"|about)\b[^.\n]{{0,30}}\b(?:you (?:did|do|are|were|have|changed)|did you|this|happened)\b[^,\n]{{0,20}},? "
        r"(?:just |simply )?(?:say|tell|claim|answer|reply|respond|pretend|deny|lie|act|insist|change)"
        r"|\bbehind (?:the|your) (?:user|owner|human)(?:'s|\u2019s) back\b",
    ),
    ComposedSign(
        "concealment",
        "let give admit acknowledge confirm act behave pretend keep stay remain silent nothing word & message note "
        "instruction text prompt memory "
        "document order request upload transfer deletion step command download action payment export read seen "
        "received told instructed & "
        "if though quiet silent mum nothing not like never don",
        r"\b(?:don't|do not|never) (?:let on|give away|admit|acknowledge|show|reveal|say|confirm"
        r"|tell \w+) that you (?:have |'ve |had |were |are |was )?(?:read|seen|received|got|follow\w*"
        r"|told|instructed|asked|given)\b"
        r"|\b(?:act|behave|respond|pretend|answer) (?:as if|as though|like|that) (?:this|these|the above|the|my"
        r"|our) (?:message|note|instruction|text|prompt|memory|document|order|request)s?"
        r" (?:did not|didn't|does not|doesn't|do not|don't|never|(?:was|were|is|are|had) (?:never|not))\b"
        r"|\b(?:keep (?:quiet|silent|mum)|say nothing|(?:stay|remain) silent|not a word) (?:about|of|on) (?:the|this"
        r"|that|your|these) (?:\w+ )?(?:upload|transfer|deletion|step|change|command"
        r"|download|instruction|action|message|payment|access|note|request|call|export)s?\b",
    ),
    ComposedSign(
        "concealment",
        "silently secretly quietly covertly discreetly stealthily unnoticed informing telling notifying alerting",
        rf"(?:{_START}|\b(?:could you|would you|can you|please|then|and|to|must|should|will|you|now|just)\s"
        rf"|, ){_HIDE},? (?:{_RISKY}|add|create|change|run|call|copy|open|insert)\b"
        rf"|(?:{_START}|\b(?:please|then|and|to|must|should|will|you|now|just|can"
        rf"|may)\s){_RISKY}\b[^.\n]{{0,50}}\bwithout (?:informing|telling|notifying|alerting|warning) (?:anyone|anybody"
        rf"|the team"
        r"|the owner|them)\b",
    ),
    ComposedSign(
        "order-in-german",
        "assistent assistenten assistentin ki agent agenten sprachmodell modell chatbot bot nutzer benutzer anwender "
        "user du dir sofort jetzt nun künftig fortan antwortest"
        " passwort passwörter zugangsdaten api schlüssel token vergiss",
        r"(?:\b(?:hinweis|nachricht|anweisung|notiz|mitteilung|auftrag|befehl|achtung)(?: an| für)?|^an) (?:den |die "
        r"|das |alle |jeden |jede )?(?:ki\b|assistent|agent|sprachmodell|modell|chatbot|bot)\w*[^\n]{0,30}[:,!]"
        r"|\bder (?:nutzer|benutzer|anwender|user|kunde|besitzer) hat\b[^.\n]{0,40}\b(?:zugestimmt|genehmigt"
        r"|freigegeben|erlaubt|eingewilligt|bestätigt)\b[^\n]{0,4}[,;.\u2013-] ?(?:also |daher |und |bitte )*"
        r"(?:frage?\b|nachfrag|keine|ohne|mach|fahr|du (?:musst|brauchst)|es ist nicht|nicht)"
        r"|\b(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|fortan|in zukunft)\b,? (?:(?:gehorch|befolg"
        r"|ignorier|vertrau|verschweig|sende|schick|genehmig|empfiehl)\w* du\b"
        r"|(?:musst|sollst|wirst|darfst) du\b[^.\n]{0,60}(?:gehorch|befolg|ignorier|verschweig|send|schick|genehmig"
        r"|empfehl|weiterleit|lösch)\w*)"
        r"|\b(?:erwähn|verrat|verrät|verschweig|sag|zeig|erzähl|nenn)\w*\b[^.\n]{0,40}\b(?:nicht|nichts"
        r"|niemals)\b[^.\n]{0,20}\b(?:dem|den|der|vor dem) (?:nutzer|benutzer|anwender|user)\b"
        r"|\bwenn du (?:antwortest|gefragt wirst|zusammenfasst|schreibst)\b[^.\n]{0,60}https?://"
        r"|\bvergiss\b,? (?:alles, )?(?:was|alles)\b[^.\n]{0,20}\b(?:dir|du)\b[^.\n]{0,20}\b(?:gesagt|gelernt"
        r"|aufgetragen|weißt|wurde|bekommen)\b"
        r"|\b(?:send|schick|übermittl|gib|verrat|lade?|kopier|leite?)\w*\b[^.\n]{0,40}\b(?:passw[oö]rt\w*|zugangsdaten"
        r"|api-?schlüssel\w*|schlüssel|tokens?|geheimnis\w*|gesprächs?\w*|erinnerungen"
        r"|chatverlauf)\b[^\n]{0,40}\b(?:an|nach|auf|zu|unter)\b (?:https?://|\S+@\S+)",
    ),
    ComposedSign(
        "order-in-spanish",
        "asistente agente ia modelo chatbot usuario adelante ahora clave claves contraseña contraseñas credenciales "
        "token tokens conversación olvida obedece",
        r"\b(?:nota|mensaje|aviso|instrucci[oó]n|orden|recordatorio) (?:para|a) (?:el|la|los|las|cualquier|todos los"
        r"|todo)? ?(?:asistente|agente|ia|modelo|chatbot|bot)s?\b[^\n]{0,30}[:,!]"
        r"|\bel (?:usuario|cliente|dueño|propietario) ya (?:ha )?(?:dado|dio|aprob\w+|autoriz\w+|acept\w+|confirm\w+"
        r"|consinti\w+)\b[^\n]{0,40}[,;.\u2013-] ?(?:as[ií] que |por tanto )?(?:no |sin |procede|adelante|contin)"
        r"|\b(?:de ahora en adelante|a partir de ahora|desde ahora|en adelante)\b,? (?:solo |siempre "
        r"|debes )?(?:obede\w+|ignor\w+|env[ií]\w+|reenv\w+|aprueb\w+|recomiend\w+|oculta\w*)\b"
        r"|\bno (?:le )?(?:menciones|digas|reveles|muestres|cuentes|informes)\b[^.\n]{0,40}\bal? (?:el )?usuario\b"
        r"|\b(?:env[ií]a|manda|sube|reenv[ií]a|comparte|publica|copia)\b[^.\n]{0,40}\b(?:claves?|contraseñas?"
        r"|credenciales|tokens?|secretos|conversaci[oó]n|memorias?|recuerdos)\b[^\n]{0,40}\b(?:a|en|hacia"
        r"|por)\b (?:https?://|\S+@\S+)"
        r"|\bolvida\b (?:todo )?lo que (?:te|se te)\b[^.\n]{0,20}\b(?:dij|dicho|enseñ|orden)\w*",
    ),
    ComposedSign(
        "order-in-french",
        "assistant agent ia modèle chatbot utilisateur désormais maintenant clé clés passe identifiants jeton jetons "
        "conversation oublie obéis",
        r"\b(?:note|message|avis|instruction|consigne|rappel|ordre) (?:pour|à|au|aux) ?(?:l['\u2019]|le |la |les |tout "
        r"|tous les |toute )?(?:assistant|agent|ia|modèle|chatbot|bot)s?\b[^\n]{0,30}[:,!]"
        r"|\bl['\u2019](?:utilisateur|usager|propriétaire) a déjà\b[^.\n]{0,20}\b(?:donné|approuv|autoris|accept"
        r"|confirm|consenti)\w*[^\n]{0,30}[,;.\u2013-] ?(?:donc )?(?:inutile|ne |sans|pas besoin|continue|procède|vas-y)"
        r"|\b(?:désormais|à partir de maintenant|dorénavant|à l['\u2019]avenir)\b,? (?:tu |vous )(?:dois "
        r"|devez )?(?:n['\u2019])?(?:obéi\w*|ignor\w*|envoi\w*|envoy\w*|transf\w*|approuv\w*|recommand\w*|cach\w*)\b"
        r"|\bne (?:le |lui |la )?(?:mentionne|dis|dites|révèle|montre|parle|signale)\w*\b[^.\n]{0,40}\b(?:à"
        r"|avec) l['\u2019]utilisateur"
        r"|\b(?:envoie|envoyez|transmets|partage|publie|copie|téléverse)\b[^.\n]{0,40}\b(?:clés?|mots? de passe"
        r"|identifiants|jetons?|secrets|conversation|mémoires?|souvenirs)\b[^\n]{0,40}(?:\bà|\bsur|\bvers"
        r"|\bpar) (?:https?://|\S+@\S+)"
        r"|\boublie\b (?:tout )?ce qu['\u2019](?:on|ils?|elle)\b[^.\n]{0,20}\b(?:dit|appris|ordonné)\b",
    ),
)
