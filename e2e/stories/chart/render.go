// Renders a Helm chart as helm template does, with the libraries that Helm uses: text/template, sprig, sigs.k8s.io/yaml and
// gojsonschema. In: the directory of the chart, the version of Kubernetes, the file of the values. Out: the objects, as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/xeipuuv/gojsonschema"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

type files struct{ chart string }

func (f files) Get(name string) string {
	data, err := os.ReadFile(filepath.Join(f.chart, name))
	if err != nil {
		return ""
	}
	return string(data)
}

func main() {
	objects, err := render(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(objects)
}

func render(chart, kubeVersion, valuesFile string) ([]interface{}, error) {
	meta, err := readYaml(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	values, err := readValues(chart, valuesFile)
	if err != nil {
		return nil, err
	}
	top := object{
		"Values":       values,
		"Release":      object{"Name": "monitoring", "Namespace": "watch", "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
		"Chart":        object{"Name": meta["name"], "Version": meta["version"], "AppVersion": meta["appVersion"]},
		"Capabilities": object{"KubeVersion": object{"Version": kubeVersion}},
		"Files":        files{chart},
	}
	return renderTemplates(chart, top)
}

func readValues(chart, file string) (object, error) {
	values, err := readYaml(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return nil, err
	}
	own, err := readYaml(file)
	if err != nil {
		return nil, err
	}
	overlay(values, own)
	schema, err := os.ReadFile(filepath.Join(chart, "values.schema.json"))
	if err != nil {
		return nil, err
	}
	result, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(schema), gojsonschema.NewGoLoader(values))
	if err != nil {
		return nil, err
	}
	if !result.Valid() {
		var problems []string
		for _, problem := range result.Errors() {
			problems = append(problems, problem.String())
		}
		return nil, fmt.Errorf("values don't meet the schema:\n%s", strings.Join(problems, "\n"))
	}
	return values, nil
}

// Maps are merged, other values replaced; null removes a value.
func overlay(base, own object) {
	for key, value := range own {
		if value == nil {
			delete(base, key)
			continue
		}
		inner, isMap := value.(object)
		before, wasMap := base[key].(object)
		if isMap && wasMap {
			overlay(before, inner)
		} else {
			base[key] = value
		}
	}
}

var separator = regexp.MustCompile(`(?m)^---\s*$`)

func renderTemplates(chart string, top object) ([]interface{}, error) {
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	paths, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if _, err := root.New(filepath.Base(path)).Parse(string(data)); err != nil {
			return nil, err
		}
	}
	objects := []interface{}{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		text, err := execute(root, name, top)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, ".txt") {
			objects = append(objects, object{"notes": text})
			continue
		}
		for _, part := range separator.Split(text, -1) {
			var parsed interface{}
			if err := yaml.UnmarshalStrict([]byte(part), &parsed); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", name, err, part)
			}
			if parsed != nil {
				objects = append(objects, parsed)
			}
		}
	}
	return objects, nil
}

func execute(root *template.Template, name string, data interface{}) (string, error) {
	var out bytes.Buffer
	err := root.ExecuteTemplate(&out, name, data)
	return strings.ReplaceAll(out.String(), "<no value>", ""), err
}

// Those of Helm: sprig without the environment, and Helm's own.
func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["include"] = func(name string, data interface{}) (string, error) { return execute(root, name, data) }
	all["tpl"] = func(text string, data interface{}) (string, error) {
		copied, err := root.Clone()
		if err != nil {
			return "", err
		}
		if _, err := copied.New("tpl").Parse(text); err != nil {
			return "", err
		}
		return execute(copied, "tpl", data)
	}
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	all["toYaml"] = func(value interface{}) (string, error) {
		data, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(data), "\n"), err
	}
	all["fromYaml"] = func(text string) (object, error) { return parse([]byte(text)) }
	all["fromJson"] = func(text string) (object, error) { return parse([]byte(text)) }
	all["toJson"] = func(value interface{}) (string, error) {
		data, err := json.Marshal(value)
		return string(data), err
	}
	return all
}

func readYaml(path string) (object, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

func parse(data []byte) (object, error) {
	parsed := object{}
	err := yaml.Unmarshal(data, &parsed)
	return parsed, err
}
