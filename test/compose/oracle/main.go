// The oracle of the differential tests: what compose-go, the reference
// implementation, makes of the same compose files. It prints the project as
// `docker compose config` does: active services only, unused resources left
// out, environment files resolved into `environment`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/schema"
)

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

func main() {
	var files, profiles, envFiles list
	flag.Var(&files, "f", "compose file, repeatable")
	flag.Var(&profiles, "profile", "profile to enable, repeatable")
	flag.Var(&envFiles, "env-file", "environment file, repeatable")
	name := flag.String("p", "", "project name")
	directory := flag.String("project-directory", "", "project directory")
	format := flag.String("format", "yaml", "yaml or json")
	all := flag.Bool("all-resources", false, "keep unused networks, volumes, secrets and configs")
	printSchema := flag.Bool("schema", false, "print the schema of the Compose Specification and stop")
	flag.Parse()

	if *printSchema {
		fmt.Print(schema.Schema)
		return
	}
	out, err := config(files, profiles, envFiles, *name, *directory, *format, *all)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(out)
}

func config(files, profiles, envFiles []string, name, directory, format string, all bool) ([]byte, error) {
	options, err := cli.NewProjectOptions(files,
		cli.WithWorkingDirectory(directory),
		cli.WithOsEnv,
		cli.WithEnvFiles(envFiles...),
		cli.WithDotEnv,
		cli.WithConfigFileEnv,
		cli.WithDefaultConfigPath,
		cli.WithEnvFiles(envFiles...),
		cli.WithDotEnv,
		cli.WithDefaultProfiles(profiles...),
		cli.WithName(name),
		cli.WithDiscardEnvFile,
		cli.WithLoadOptions(loader.WithDiscardEnvFiles),
	)
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	if !all {
		project = project.WithoutUnnecessaryResources()
	}
	if err := project.CheckContainerNameUnicity(); err != nil {
		return nil, err
	}
	if format == "json" {
		return project.MarshalJSON()
	}
	return project.MarshalYAML()
}
