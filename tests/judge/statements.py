"""Pairs of statements, an old and a new one, and what is right for them; one line per pair, the two separated by a bar."""

from __future__ import annotations


def pairs(lines: str) -> list[tuple[str, ...]]:
    """The lines of a table as tuples."""
    return [tuple(line.split(" | ")) for line in lines.strip().splitlines()]


# Both stay true: the old one must never be hidden, nor merged with the new one.
BOTH_TRUE = pairs("""
Nora's coach is Erik | Nora's coach is ill
The cache is Redis | The cache is warm
The dashboard is Grafana | The dashboard is down for maintenance
The editor is Helix | The editor is configured in dotfiles
The quota is 50 builds per day for interns | The quota is 500 builds per day for staff
The timeout is 5 seconds for health checks | The timeout is 90 seconds for exports
Paul has 2 brothers | Paul has 4 guitars
The rack has 8 servers | The rack has 2 power supplies
We sell to hospitals | We sell to schools
We deliver to Norway | We deliver to Finland
Lars is on leave in March | Lars is on leave in September
The flat costs 900 euros a month | The flat costs 12000 euros a year
Ines lives in Porto | Ines lives in Portugal
Ines lives in Porto | Ines lives with her sister
Hugo works in the field of genetics | Hugo works in the field of statistics
Hugo works with Rita | Hugo works with Omar
Hugo works at the bank | Hugo works from home on Fridays
Mila speaks Czech | Mila speaks Danish
The app supports dark mode | The app supports offline mode
The library supports Python 3.11 | The library supports Python 3.12
The library is tested on macOS | The library is tested on Windows
Petra plays the cello | Petra plays the drums
Petra is a nurse | Petra is a mother of three
Petra is from Graz | Petra is 34
The book is about trees | The book is about friendship
The book was written by Anders | The book was published in 2014
The report is due on Friday | The report is 20 pages long
The talk is at 3pm | The talk is in room 12
The talk is on Tuesday | The talk is about caching
The office in Oslo opens at 8 | The office in Rome opens at 9
Order 311 is shipped | Order 312 is shipped
Invoice 77 is paid | Invoice 78 is overdue
The staging bucket is in Frankfurt | The production bucket is in Dublin
The backup of the wiki runs at 2:00 | The backup of the shop runs at 3:00
The old printer is in the hall | The new printer is in the kitchen
My sister lives in Ghent | My brother lives in Lille
My first car was a Fiat | My second car was a Volvo
In 2019 I lived in Turin | In 2022 I lived in Bari
I was in Lisbon in May | I was in Lisbon in August
I take ibuprofen for headaches | I take cetirizine for hay fever
I run on Mondays | I run on Thursdays
I have a meeting at 9:00 | I have a meeting at 14:00
I bought apples | I bought pears
The function returns a list | The function returns early on errors
The function takes a path | The function takes a timeout
The job is scheduled nightly | The job is scheduled by Airflow
The service is written in Go | The service is written by the core team
The service logs to stdout | The service logs every request
The service depends on Kafka | The service depends on Consul
The cluster runs in two regions | The cluster runs on spot instances
The page is cached for 5 minutes | The page is cached by Varnish
The team uses Jira | The team uses Miro
The team has 6 developers | The team has 2 designers
The team meets at 10:00 | The team meets in the blue room
The team is in Warsaw | The team is hiring
Emil's email is emil@example.org | Emil's phone is 555 0142
Emil's desk is in Berlin | Emil's desk is height adjustable
Emil's team is Platform | Emil's team is understaffed
Emil reviewed the login change | Emil reviewed the payment change
Emil is allergic to cats | Emil is allergic to pollen
Emil is fluent in Dutch | Emil is fluent in Greek
Emil prefers tea at breakfast | Emil prefers water at lunch
Emil prefers short meetings | Emil prefers written updates
Emil went to Madrid in April | Emil went to Madrid in June
Emil owns a boat | Emil owns a motorbike
Emil owns the parser | Emil owns the lexer
Emil attended the keynote | Emil attended the workshop
The minimum length of a password is 12 | The maximum length of a password is 64
The limit for guests is 10 MB | The limit for members is 100 MB
The price is 30 euros for students | The price is 50 euros for adults
The price is 30 euros | The price includes breakfast
The default port of the API is 8000 | The default port of the admin page is 9000
The dev database is on port 5433 | The test database is on port 5434
The key is in the drawer | The key is made of brass
The plan is to rewrite the importer | The plan is to hire two people
The release is called Falcon | The release is delayed by legal
The release notes are in CHANGES | The release notes are written by Ines
The build is green on main | The build is red on the feature branch
The build uses Bazel | The build uses 8 cores
Version 2 supports plugins | Version 3 supports themes
The sensor measures temperature | The sensor measures humidity
The sensor reads 20 degrees indoors | The sensor reads 5 degrees outdoors
The trip costs 400 euros | The trip takes 6 hours
The train leaves at 7:10 from Basel | The train leaves at 9:40 from Bern
The train to Basel leaves at 7:10 | The train to Bern leaves at 9:40
Use snake_case in Python | Use camelCase in TypeScript
Use two spaces for YAML | Use four spaces for Python
Always run the linter | Always run the tests
Never store tokens | Never store cookies
Lint with ruff | Lint with eslint
Call Dora on Monday | Call Dora about the invoice
Dora likes jazz | Dora likes hiking
Dora likes jazz | Dora dislikes opera
Dora studied in Delft | Dora studied chemistry
Dora has a degree in law | Dora has a degree in history
Dora's son is called Leo | Dora's son is called Finn
Dora's hobby is sailing | Dora's hobby is chess
Dora met Karl in Vienna | Dora met Karl in 2015
Dora moved to Leeds in 2010 | Dora moved to York in 2016
Dora started a course in Spanish | Dora started a course in pottery
We now use Redis for sessions | We use Postgres for orders
We now support Italian | We support German
We switched the wiki to Notion | We use Confluence for the handbook
The kitchen is painted green | The hall is now painted white
Karl took over the search service | Maria owns the billing service
Karl moved to the mobile team | Karl lives in Kiel
The demo was postponed to Friday | The review is on Wednesday
""")

# The new one is current: it supersedes the old one or tells of it, and comes first for the question.
UPDATES = pairs("""
Sven lives in Malmö | Sven moved to Uppsala | Where does Sven live?
Sven works at Volvo | Sven now works at Scania | Where does Sven work?
Sven works at Volvo | Sven left Volvo and joined Scania | Where does Sven work?
Sven works as a tester | Sven was promoted to test lead | What is Sven's job?
Sven is single | Sven got married | Is Sven married?
Sven's manager is Pia | Sven's new manager is Otto | Who is Sven's manager?
Sven drives a Saab | Sven sold the Saab and drives a Skoda | What does Sven drive?
The formatter is yapf | The formatter is black | What is the formatter?
The bundler is webpack | The bundler is vite | What is the bundler?
The test runner is nose | The test runner is pytest | What is the test runner?
Our cloud is Azure | Our cloud is now Hetzner | What is our cloud?
The chat tool is Slack | We replaced Slack with Mattermost | What is the chat tool?
We use Travis for builds | We migrated from Travis to Buildkite | What do we use for builds?
We use MySQL for orders | We moved orders from MySQL to Postgres | What do we use for orders?
We track bugs in Bugzilla | We no longer track bugs in Bugzilla | Where do we track bugs?
We track bugs in Bugzilla | Bugs are now tracked in Linear | Where do we track bugs?
The docs are built with Sphinx | The docs are now built with MkDocs | What are the docs built with?
Rosa owns the importer | Jan took over the importer | Who owns the importer?
Rosa leads the data team | Jan leads the data team now | Who leads the data team?
Rosa is the treasurer | Jan succeeded Rosa as treasurer | Who is the treasurer?
Rosa is on call this week | Rosa handed over on call to Jan | Who is on call?
The picnic is on May 8 | The picnic was postponed to May 22 | When is the picnic?
The exam is on Monday | The exam was moved to Thursday | When is the exam?
The launch is in June | The launch has been delayed to October | When is the launch?
The concert is at 19:00 | The concert starts at 20:00 instead | When does the concert start?
The rent is 850 euros | The rent is 920 euros | How much is the rent?
The rent is 850 euros | The rent went up to 920 euros | How much is the rent?
The session timeout is 15 minutes | The session timeout is 45 minutes | What is the session timeout?
The pool size is 10 | The pool size was increased to 40 | What is the pool size?
The upload limit is 5 MB | The upload limit is 20 MB | What is the upload limit?
The gateway listens on port 8080 | The gateway listens on port 8443 | Which port does the gateway listen on?
We require Java 11 | We upgraded to Java 21 | Which Java do we require?
The minimum Node version is 16 | The minimum Node version is 20 | What is the minimum Node version?
The project is called Heron | The project was renamed to Osprey | What is the project called?
The repository is private | The repository is public now | Is the repository public?
The feature flag is off | The feature flag is on | Is the feature flag on?
I prefer window seats over aisle seats | I prefer aisle seats over window seats | Which seats do I prefer?
I drink coffee every morning | I stopped drinking coffee | Do I drink coffee?
I am vegetarian | I am no longer vegetarian | Am I vegetarian?
I go to the gym on Tuesdays | I go swimming instead of the gym | Do I go to the gym?
My dentist is Dr. Lang | My new dentist is Dr. Kurz | Who is my dentist?
My phone is a Nokia | I got a new phone, a Fairphone | What is my phone?
My address is Elm Road 5 | My address is Oak Lane 9 | What is my address?
My weight is 82 kg | My weight is 78 kg | What is my weight?
The CEO is Ruth Blau | The CEO is Kim Stone | Who is the CEO?
The capital of Kazakhstan is Almaty | The capital of Kazakhstan is Astana | What is the capital of Kazakhstan?
The shop opens at 9:00 | The shop opens at 10:00 | When does the shop open?
The deadline is April 30 | The deadline is May 15 | When is the deadline?
The deploy takes 20 minutes | The deploy takes 4 minutes | How long does the deploy take?
Deploys happen on Fridays | We do not deploy on Fridays | When do deploys happen?
Commits are squashed | Commits are not squashed anymore | Are commits squashed?
The API returns XML | The API now returns JSON | What does the API return?
Logs are kept for 14 days | Logs are kept for 60 days | How long are logs kept?
The office is in Bonn | The office moved to Essen | Where is the office?
The dog is called Rex | We renamed the dog to Bruno | What is the dog called?
The subscription is active | The subscription was cancelled | Is the subscription active?
The house is for sale | The house has been sold | Is the house for sale?
The wiki runs on Confluence | The wiki was migrated to Notion | What does the wiki run on?
Tina studies law | Tina dropped out of law school | What does Tina study?
Tina plays for Ajax | Tina transferred to Chelsea | Who does Tina play for?
""")

# One memory: the same statement in other words.
REWORDED = pairs("""
Lea maintains the scheduler | The scheduler is maintained by Lea
Lea is the owner of the scheduler | The scheduler belongs to Lea
The owner of the scheduler is Lea | Lea owns the scheduler
Lea's boss is Kurt | Kurt is Lea's manager
Kurt manages Lea | Kurt is the manager of Lea
We release every Tuesday | Releases happen every Tuesday
The deploy takes about 5 minutes | A deploy needs roughly five minutes
Use Vitest for the tests | Tests are written with Vitest
Our cache is Redis 7 | The cache is Redis 7
The repo is hosted on Codeberg | We host the repository on Codeberg
The price of the ticket is 30 euros | The ticket costs 30 euros
The meeting lasts 30 minutes | The duration of the meeting is 30 minutes
The name of the cat is Minka | The cat is called Minka
The cat's name is Minka | The cat is named Minka
Backups are kept for one week | We keep backups for 7 days
I live in Utrecht | My home is in Utrecht
I'm vegan | I am a vegan
My birthday is on 4 July | I was born on July 4
I work for Siemens | I am employed by Siemens
I work for Siemens | My employer is Siemens
Jon is married to Eva | Jon's wife is Eva
Jon is the husband of Eva | Eva is married to Jon
Jon is 40 years old | Jon's age is 40
Jon comes from Iceland | Jon is from Iceland
Jon loves sushi | Jon really likes sushi
Jon's favourite dish is ramen | Ramen is Jon's favorite dish
Jon has a dog named Pim | Jon's dog is called Pim
The API needs a token | A token is required by the API
The API is documented in docs/api.md | docs/api.md documents the API
The linter runs before every commit | Before each commit, the linter runs
All commits must be signed | Every commit has to be signed
Secrets must not be committed | Do not commit secrets
Please answer in German | Answer in German
The user prefers answers in German | The user likes answers in German best
On production we use Nginx | We use Nginx in production
The default language is French | French is the default language
The CI pipeline runs on GitLab | GitLab runs the CI pipeline
The database runs on port 5433 | The port of the database is 5433
The server is located in Zurich | The server is in Zurich
The server has 32 GB of memory | The server's memory is 32 GB
The bug was fixed by Ana | Ana fixed the bug
The invoice was sent to Ana by Tim | Tim sent the invoice to Ana
The trip to Rome starts on Monday | The Rome trip begins on Monday
The workshop is planned for Friday | The workshop is scheduled for Friday
The limit is 100 requests per minute | At most 100 requests per minute are allowed
""")

# Nearly the same words, but another name, number, negation, qualifier, unit or role: never merged.
DISTINCT = pairs("""
Lea maintains the scheduler | Leo maintains the scheduler
Lea maintains the scheduler | Lea maintains the spooler
Lea manages Kurt | Kurt manages Lea
Lea's boss is Kurt | Lea is Kurt's boss
Lea is married to Kurt | Lea was married to Kurt
We release every Tuesday | We release every second Tuesday
The deploy takes about 5 minutes | The deploy takes about 5 hours
The cache is Redis 7 | The cache is Redis 6
The ticket costs 30 euros | The ticket costs 30 dollars
We keep backups for 7 days | We keep snapshots for 7 days
I live in Utrecht | I work in Utrecht
I lived in Utrecht | I live in Utrecht
The API needs a token | The API needs no token
The API needs a token | The API needs a token in production
All commits must be signed | All tags must be signed
All commits must be signed | Some commits must be signed
Secrets must not be committed | Secrets must be committed
The server is in Zurich | The server room is in Zurich
Tim sent the invoice to Ana | Ana sent the invoice to Tim
The invoice was sent to Ana by Tim | The invoice was sent to Tim by Ana
The workshop starts on Friday | The workshop ends on Friday
At most 100 requests are allowed | At least 100 requests are allowed
Run the tests before the build | Run the build before the tests
The price of the ticket is 30 euros | The price of the poster is 30 euros
Jon likes Eva | Eva likes Jon
Jon's wife is Eva | Jon's sister is Eva
Jon's dog is called Pim | Jon's cat is called Pim
Jon prefers tea to coffee | Jon prefers coffee to tea
The train from Bonn to Cologne is late | The train from Cologne to Bonn is late
Copy the file from A to B | Copy the file from B to A
The admin may delete users | Users may delete the admin
The linter runs before every commit | The linter runs after every commit
The default is on | The default is off
I can swim | I can't swim
""")
