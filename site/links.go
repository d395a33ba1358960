package main

import (
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	attribute = regexp.MustCompile(`\b(href|src|id)="([^"]*)"`)
	tag       = regexp.MustCompile(`<(?:[a-zA-Z][^<>]*)>`)
)

// checkLinks follows every link of a site: to its pages, headings and files, and to files of
// the repository. Nothing but links may lead to another host, and those are not followed.
func checkLinks(w io.Writer, root, dist, base string) error {
	pages := map[string]string{}
	targets := map[string]map[string]bool{} // headings of pages
	err := fs.WalkDir(os.DirFS(dist), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			return err
		}
		pages[name] = string(text)
		targets[name] = map[string]bool{}
		for _, t := range tag.FindAllString(string(text), -1) {
			for _, a := range attribute.FindAllStringSubmatch(t, -1) {
				if a[1] == "id" {
					targets[name][html.UnescapeString(a[2])] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	checked, broken := 0, 0
	for name, text := range pages {
		for _, t := range tag.FindAllString(text, -1) {
			for _, a := range attribute.FindAllStringSubmatch(t, -1) {
				if a[1] == "id" {
					continue
				}
				checked++
				follows := strings.HasPrefix(t, "<a ")
				if fault := follow(root, dist, base, name, html.UnescapeString(a[2]), follows, targets); fault != "" {
					broken++
					fmt.Fprintf(w, "%s: %s %s\n", name, a[2], fault)
				}
			}
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d links are broken", broken, checked)
	}
	if len(pages) == 0 {
		return fmt.Errorf("%s has no pages", dist)
	}
	fmt.Fprintf(w, "%d pages, %d links\n", len(pages), checked)
	return nil
}

// follow says what is wrong with a link of a page, "" if nothing is.
func follow(root, dist, base, page, link string, follows bool, targets map[string]map[string]bool) string {
	u, err := url.Parse(link)
	if err != nil {
		return "is no address"
	}
	if rest, ok := strings.CutPrefix(link, repository+"/"); ok && follows {
		kind, file, _ := strings.Cut(rest, "/main/")
		if kind != "blob" && kind != "tree" {
			return ""
		}
		file, _, _ = strings.Cut(file, "#")
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			return "is no file of the repository"
		}
		return ""
	}
	switch {
	case u.Scheme == "data":
		return ""
	case u.Scheme != "" || u.Host != "":
		if !follows {
			return "is loaded from another host"
		}
		return ""
	}
	to := page
	switch {
	case strings.HasPrefix(u.Path, "/"):
		rest, ok := strings.CutPrefix(u.Path, base)
		if !ok {
			return "leaves the site"
		}
		to = path.Join(rest)
		if strings.HasSuffix(u.Path, "/") {
			to = path.Join(rest, "index.html")
		}
	case u.Path != "":
		to = path.Join(path.Dir(page), u.Path)
		if strings.HasSuffix(u.Path, "/") {
			to = path.Join(to, "index.html")
		}
	}
	info, err := os.Stat(filepath.Join(dist, to))
	if err != nil || info.IsDir() {
		return "leads nowhere"
	}
	if path.Base(path.Dir(to)) == "studio" { // what follows # is an address of its own
		return ""
	}
	if u.Fragment != "" && targets[to] != nil && !targets[to][u.Fragment] {
		return "has no such heading"
	}
	return ""
}
