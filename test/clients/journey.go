// What an integrator does, with the client that oapi-codegen generates.
//
// Reads PLUMBLINE_URL, PLUMBLINE_ORG, PLUMBLINE_TOKEN (a service token), PLUMBLINE_EMAIL and PLUMBLINE_PASSWORD. Prints
// what it saw as one JSON object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"plumbline.example/journey/client"
)

func main() {
	ctx := context.Background()
	url, email := os.Getenv("PLUMBLINE_URL"), client.Email(os.Getenv("PLUMBLINE_EMAIL"))
	var org client.OrgId
	must(org.UnmarshalText([]byte(os.Getenv("PLUMBLINE_ORG"))))

	anonymous, err := client.NewClientWithResponses(url)
	must(err)
	wrong := client.LoginRequest{Email: email, Password: "not the password"}
	refused, err := anonymous.LoginWithResponse(ctx, wrong)
	must(err)
	expect(refused.StatusCode(), 401)
	right := client.LoginRequest{Email: email, Password: os.Getenv("PLUMBLINE_PASSWORD")}
	accepted, err := anonymous.LoginWithResponse(ctx, right)
	must(err)
	expect(accepted.StatusCode(), 200)
	session, err := accepted.JSON200.AsLoginResult()
	must(err)

	machine, err := client.NewClientWithResponses(url, client.WithRequestEditorFn(bearer(os.Getenv("PLUMBLINE_TOKEN"))))
	must(err)
	wanted := []string{"go-1", "go-2", "go-3"}
	for _, id := range wanted {
		created, err := machine.CreateTeamWithResponse(ctx, org, &client.CreateTeamParams{}, teamOf(id))
		must(err)
		expect(created.StatusCode(), 201)
		if created.JSON201.Id != id {
			log.Fatalf("created %s instead of %s", created.JSON201.Id, id)
		}
	}
	again, err := machine.CreateTeamWithResponse(ctx, org, &client.CreateTeamParams{}, teamOf(wanted[0]))
	must(err)
	expect(again.StatusCode(), 409)
	exists, err := again.ApplicationproblemJSON409.Discriminator()
	must(err)

	var teams []string
	limit := 2
	params := client.ListTeamsParams{Limit: &limit}
	for {
		page, err := machine.ListTeamsWithResponse(ctx, org, &params)
		must(err)
		expect(page.StatusCode(), 200)
		for _, team := range page.JSON200.Items {
			teams = append(teams, team.Id)
		}
		if page.JSON200.NextCursor == nil {
			break
		}
		params.Cursor = page.JSON200.NextCursor
	}

	for _, id := range wanted {
		deleted, err := machine.DeleteTeamWithResponse(ctx, org, id)
		must(err)
		expect(deleted.StatusCode(), 204)
	}
	stranger, err := client.NewClientWithResponses(url, client.WithRequestEditorFn(bearer("wrong")))
	must(err)
	denied, err := stranger.ListTeamsWithResponse(ctx, org, nil)
	must(err)
	expect(denied.StatusCode(), 401)

	seen, err := json.Marshal(map[string]any{
		"problems": []string{
			string(refused.ApplicationproblemJSON401.Type), exists, string(denied.ApplicationproblemJSON401.Type),
		},
		"user":  session.User.Email,
		"teams": teams,
	})
	must(err)
	fmt.Println(string(seen))
}

func teamOf(id string) client.CreateTeamRequest {
	members := []string{id + "@example.com"}
	return client.CreateTeamRequest{Id: id, Members: &members}
}

func bearer(token string) client.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

func expect(status, wanted int) {
	if status != wanted {
		log.Fatalf("the server answered %d, not %d", status, wanted)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
