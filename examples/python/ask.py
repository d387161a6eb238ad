"""The plain client: a question, a choice, and a function that runs once its call is approved."""

from handraise import Denied, Handraise, requires_approval


@requires_approval(prompt="Pay this?")
def pay(to: str, amount: float) -> str:
    return f"paid {amount} to {to}"


with Handraise() as people:
    name = people.ask("Who is to be paid?")
    amount = people.choose("How much?", ["12.5", "20"])
try:
    print(pay(name, float(amount)))
except Denied as denied:
    print(denied)
