"""What an integrator does, with the client that openapi-python-client generates.

Reads PLUMBLINE_URL, PLUMBLINE_ORG, PLUMBLINE_TOKEN (a service token), PLUMBLINE_EMAIL and PLUMBLINE_PASSWORD. Prints
what it saw as one JSON object.
"""

import json
import os
from uuid import UUID

from plumbline_client import AuthenticatedClient, Client
from plumbline_client.api.auth import login
from plumbline_client.api.teams import create_team, delete_team, list_teams
from plumbline_client.models import CreateTeamRequest, InvalidCredentialsProblem, LoginRequest, LoginResponse
from plumbline_client.models import Team, TeamExistsProblem, TeamPage, UnauthenticatedProblem

url = os.environ["PLUMBLINE_URL"]
org = UUID(os.environ["PLUMBLINE_ORG"])
email = os.environ["PLUMBLINE_EMAIL"]

anonymous = Client(base_url=url)
refused = login.sync(client=anonymous, body=LoginRequest(email=email, password="not the password"))
assert isinstance(refused, InvalidCredentialsProblem), refused
accepted = login.sync(client=anonymous, body=LoginRequest(email=email, password=os.environ["PLUMBLINE_PASSWORD"]))
assert isinstance(accepted, LoginResponse), accepted

machine = AuthenticatedClient(base_url=url, token=os.environ["PLUMBLINE_TOKEN"])
wanted = [CreateTeamRequest(id=name, members=[f"{name}@example.com"]) for name in ("python-1", "python-2", "python-3")]
for team in wanted:
    created = create_team.sync(org, client=machine, body=team)
    assert isinstance(created, Team), created
again = create_team.sync(org, client=machine, body=wanted[0])
assert isinstance(again, TeamExistsProblem), again

names, cursor = [], {}
while True:
    page = list_teams.sync(org, client=machine, limit=2, **cursor)
    assert isinstance(page, TeamPage), page
    names += [team.id for team in page.items]
    if page.next_cursor is None:
        break
    cursor = {"cursor": page.next_cursor}

for team in wanted:
    assert delete_team.sync_detailed(org, team.id, client=machine).status_code == 204
stranger = list_teams.sync(org, client=AuthenticatedClient(base_url=url, token="wrong"))
assert isinstance(stranger, UnauthenticatedProblem), stranger

print(
    json.dumps(
        {
            "problems": [each.type_ for each in (refused, again, stranger)],
            "user": accepted.user.email,
            "teams": names,
        }
    )
)
