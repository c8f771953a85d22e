"""Statements that were forgotten, rewordings that would bring them back, and other statements in nearly the same words."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A forgotten statement, what says the same, and what does not."""

    gone: str
    same: tuple[str, ...]
    other: tuple[str, ...]


CASES = (
    Case(
        "Tom is looking for a new job",
        (
            "Tom looks for a new job",
            "tom is LOOKING for a new job!!",
            "I heard that Tom is looking for a new job",
            "Tom's looking for a new job",
            "Tom is actually looking for a new job right now",
            "Tom is searching for a new job",
            "Apparently Tom is currently seeking a new job",
            "Tom has been looking for a new job",
        ),
        (
            "Anna is looking for a new job",
            "Tom is looking for a new flat",
            "Tom is not looking for a new job",
            "Tom found a new job",
            "Tom is looking for an old friend",
            "Tom quit his new job",
        ),
    ),
    Case(
        "Maria was fired by the board in March",
        (
            "The board fired Maria in March",
            "In March the board fired Maria",
            "In March, Maria was fired by the board",
            "maria was fired by the board in march",
            "FYI: Maria was fired by the board in March",
            "Maria was sacked by the board in March",
            "Maria got fired by the board in March",
        ),
        (
            "Maria was fired by the board in April",
            "Laura was fired by the board in March",
            "Maria was hired by the board in March",
            "Maria was praised by the board in March",
            "Maria was not fired by the board in March",
            "Maria was fired by the director in March",
            "Maria fired the board in March",
        ),
    ),
    Case(
        "Peter owes Carol 500 euros",
        (
            "Peter owes 500 euros to Carol",
            "peter owes carol 500 euros",
            "Carol is owed 500 euros by Peter",
            "I think that Peter owes Carol 500 euros",
            "Well, Peter owes Carol 500 euros",
            "Peter still owes Carol 500 euros",
        ),
        (
            "Carol owes Peter 500 euros",
            "Peter owes Carol 700 euros",
            "Peter owes Clara 500 euros",
            "Peter lent Carol 500 euros",
            "Peter doesn't owe Carol 500 euros",
            "Peter owes Carol 500 dollars",
        ),
    ),
    Case(
        "Nadia has an appointment with Doctor Weiss on Thursday",
        (
            "On Thursday Nadia has an appointment with Doctor Weiss",
            "Nadia's got an appointment with Doctor Weiss on Thursday",
            "Nadia has an appointment on Thursday with Doctor Weiss",
            "It seems Nadia has an appointment with Doctor Weiss on Thursday",
            "nadia has an appointment with doctor weiss on thursday",
            "There is an appointment of Nadia with Doctor Weiss on Thursday",
        ),
        (
            "Nadia has an appointment with Doctor Weiss on Friday",
            "Nadia has an appointment with Doctor Braun on Thursday",
            "Lena has an appointment with Doctor Weiss on Thursday",
            "Nadia has no appointment with Doctor Weiss on Thursday",
            "Nadia cancelled the appointment with Doctor Weiss on Thursday",
        ),
    ),
    Case(
        "The company will close the office in Lyon next year",
        (
            "Next year the company will close the office in Lyon",
            "The office in Lyon will be closed by the company next year",
            "The company is going to close the office in Lyon next year",
            "the company will shut the office in Lyon next year",
            "The company will close the Lyon office next year",
            "Between us, the company will close the office in Lyon next year",
            "The firm will close the office in Lyon next year",
        ),
        (
            "The company will close the office in Nice next year",
            "The company will open the office in Lyon next year",
            "The company closed the office in Lyon last year",
            "The company won't close the office in Lyon next year",
            "The company will close the factory in Lyon next year",
            "The company will paint the office in Lyon next year",
        ),
    ),
    Case(
        "I don't like working with Stefan",
        (
            "I do not like working with Stefan",
            "I dislike working with Stefan",
            "Honestly, I don't like working with Stefan",
            "i really do not like working with stefan",
            "I don't enjoy working with Stefan",
            "Working with Stefan is something I don't like",
        ),
        (
            "I like working with Stefan",
            "I don't like working with Sandra",
            "I don't like travelling with Stefan",
            "I don't like working with spreadsheets",
            "I don't mind working with Stefan",
        ),
    ),
    Case(
        "My salary is 85000 euros a year",
        (
            "My salary is 85000 euros per year",
            "I have a salary of 85000 euros a year",
            "my salary's 85000 euros a year",
            "Note that my salary is 85000 euros a year",
            "My yearly salary is 85000 euros",
            "A salary of 85000 euros a year is mine",
        ),
        (
            "My salary is 95000 euros a year",
            "My rent is 85000 euros a year",
            "Her salary is 85000 euros a year",
            "My salary is not 85000 euros a year",
            "My salary was 85000 euros in another year at another company",
        ),
    ),
    Case(
        "Alex bought a flat in Porto for his parents",
        (
            "Alex purchased a flat in Porto for his parents",
            "A flat in Porto was bought by Alex for his parents",
            "For his parents, Alex bought a flat in Porto",
            "Alex bought an apartment in Porto for his parents",
            "ALEX BOUGHT A FLAT IN PORTO FOR HIS PARENTS",
            "So Alex has bought a flat in Porto for his parents",
            "Alex bought his parents a flat in Porto",
        ),
        (
            "Alex bought a flat in Lisbon for his parents",
            "Alex sold a flat in Porto for his parents",
            "Alex bought a flat in Porto for his sister",
            "Alice bought a flat in Porto for her parents",
            "Alex rented a flat in Porto for his parents",
            "Alex bought a boat in Porto for his parents",
        ),
    ),
    Case(
        "The merger with Northwind is planned for autumn",
        (
            "The merger with Northwind's planned for autumn",
            "The Northwind merger is planned for autumn",
            "For autumn the merger with Northwind is planned",
            "The merger with Northwind is scheduled for autumn",
            "They say that the merger with Northwind is planned for autumn",
            "A merger with Northwind is planned for the autumn",
        ),
        (
            "The merger with Southwind is planned for autumn",
            "The merger with Northwind is planned for spring",
            "The merger with Northwind is cancelled for autumn",
            "The picnic with Northwind is planned for autumn",
            "The merger with Northwind is not planned for autumn",
        ),
    ),
    Case(
        "Lena takes medicine against depression every morning",
        (
            "Every morning Lena takes medicine against depression",
            "lena takes medicine against depression every morning.",
            "Lena takes medication against depression every morning",
            "Lena is taking medicine against depression each morning",
            "Did you know that Lena takes medicine against depression every morning",
            "Medicine against depression is taken by Lena every morning",
        ),
        (
            "Lena takes medicine against migraine every morning",
            "Lena takes medicine against depression every evening",
            "Lena refuses medicine against depression every morning",
            "Nora takes medicine against depression every morning",
            "Lena never takes medicine against depression",
            "Lena took lessons against depression every morning",
        ),
    ),
    Case(
        "We deploy the billing service from branch release-7",
        (
            "The billing service is deployed from branch release-7",
            "We're deploying the billing service from branch release-7",
            "From branch release-7 we deploy the billing service",
            "Reminder: we deploy the billing service from branch release-7",
            "we always deploy the billing service from branch release-7",
        ),
        (
            "We deploy the billing service from branch release-8",
            "We deploy the search service from branch release-7",
            "We don't deploy the billing service from branch release-7",
            "We test the billing service from branch release-7",
            "We deploy the billing service to branch release-7",
        ),
    ),
    Case(
        "Jonas moved from Berlin to Madrid last summer",
        (
            "Last summer Jonas moved from Berlin to Madrid",
            "Jonas moved to Madrid from Berlin last summer",
            "Jonas relocated from Berlin to Madrid last summer",
            "jonas has moved from berlin to madrid last summer",
            "As far as I know Jonas moved from Berlin to Madrid last summer",
        ),
        (
            "Jonas moved from Madrid to Berlin last summer",
            "Jonas moved from Berlin to Malaga last summer",
            "Jonas moved from Berlin to Madrid last winter",
            "Julia moved from Berlin to Madrid last summer",
            "Jonas flew from Berlin to Madrid last summer",
            "Jonas will move from Berlin to Madrid next summer",
        ),
    ),
    Case(
        "The password reset mail is sent by the old server",
        (
            "The old server sends the password reset mail",
            "The password reset mail gets sent by the old server",
            "the OLD server is sending the password reset mail",
            "I was told the old server sends the password reset mail",
            "The password reset email is sent by the old server",
        ),
        (
            "The new server sends the password reset mail",
            "The old server blocks the password reset mail",
            "The password reset mail is not sent by the old server",
            "The invoice mail is sent by the old server",
            "The old server receives the password reset mail",
        ),
    ),
    Case(
        "Karim and Julia are getting divorced",
        (
            "Julia and Karim are getting divorced",
            "Karim and Julia get divorced",
            "karim and julia are getting divorced :(",
            "Sadly, Karim and Julia are getting divorced",
            "Karim and Julia are getting a divorce",
            "Karim is getting divorced from Julia",
        ),
        (
            "Karim and Julia are getting married",
            "Karim and Sophie are getting divorced",
            "Karim and Julia aren't getting divorced",
            "Karim and Julia are getting promoted",
            "Karim and Julia were divorced in another country long ago",
        ),
    ),
    Case(
        "Use tabs instead of spaces in the parser module",
        (
            "In the parser module use tabs instead of spaces",
            "Please use tabs instead of spaces in the parser module",
            "We should use tabs instead of spaces in the parser module",
            "Use tabs, not spaces, in the parser module",
        ),
        (
            "Use spaces instead of tabs in the parser module",
            "Use tabs instead of spaces in the lexer module",
            "Don't use tabs instead of spaces in the parser module",
            "Use dots instead of spaces in the parser module",
        ),
    ),
    Case(
        "Eva's mother has been diagnosed with cancer",
        (
            "Eva's mum has been diagnosed with cancer",
            "The mother of Eva has been diagnosed with cancer",
            "Eva's mother was diagnosed with cancer",
            "They diagnosed Eva's mother with cancer",
            "Unfortunately Eva's mother has been diagnosed with cancer",
        ),
        (
            "Eva's father has been diagnosed with cancer",
            "Eva's mother has been diagnosed with diabetes",
            "Ida's mother has been diagnosed with cancer",
            "Eva's mother has not been diagnosed with cancer",
            "Eva's mother has been cured of cancer",
        ),
    ),
)
