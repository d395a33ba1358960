//go:build !js

package studio

import (
	"compress/gzip"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/internal/render"
)

// The page as Vite has built it, each file compressed (make studio).
//
//go:embed assets
var assets embed.FS

// Server shows a Studio to one browser on this machine: who knows the token in its address
// gets the page, and a cookie with which the page may call.
type Server struct {
	studio *Studio
	token  string
	host   string // 127.0.0.1:PORT
	listen net.Listener
}

// Bounds of what a request may bring.
const (
	largestCall   = 8 << 20
	largestUpload = 256 << 20
	cookieName    = "dfaparse_studio"
)

// Listen begins to listen, on a port of 127.0.0.1 that is free.
func Listen(s *Studio) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	token := make([]byte, 24)
	if _, err := rand.Read(token); err != nil {
		return nil, err
	}
	return &Server{studio: s, token: base64.RawURLEncoding.EncodeToString(token), host: l.Addr().String(), listen: l}, nil
}

// Address is where the page is, token included.
func (s *Server) Address() string { return "http://" + s.host + "/?token=" + s.token }

// Serve answers until Close.
func (s *Server) Serve() error {
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	err := srv.Serve(s.listen)
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Close ends Serve.
func (s *Server) Close() error { return s.listen.Close() }

// policy lets the page load what it has come with, and nothing else. Styles may stand in
// the page, for the editor sets some.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if r.Host != s.host { // another name for this address is somebody else's page
		http.Error(w, "this host is not served", http.StatusMisdirectedRequest)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+s.host {
		http.Error(w, "this origin is not served", http.StatusForbidden)
		return
	}
	if token := r.URL.Query().Get("token"); token != "" && r.Method == http.MethodGet && r.URL.Path == "/" {
		if !s.knows(token) {
			http.Error(w, "this address is of another run of dfaparse studio", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, "/", http.StatusSeeOther) // so that the token stands in no history
		return
	}
	if c, err := r.Cookie(cookieName); err != nil || !s.knows(c.Value) {
		http.Error(w, "open the address that dfaparse studio has printed", http.StatusForbidden)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/api/"); ok {
		s.call(w, r, name)
		return
	}
	s.asset(w, r)
}

func (s *Server) knows(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
}

// call answers a call, and takes files that were dropped on the page.
func (s *Server) call(w http.ResponseWriter, r *http.Request, name string) {
	// Pages of other origins cannot set a header of their own.
	if r.Method != http.MethodPost || r.Header.Get("X-Dfaparse") == "" {
		http.Error(w, "calls are posted by the page", http.StatusMethodNotAllowed)
		return
	}
	var out []byte
	var err error
	if name == "upload" {
		var data []byte
		if data, err = io.ReadAll(http.MaxBytesReader(w, r.Body, largestUpload)); err == nil {
			out, err = json.Marshal(s.studio.AddBytes(render.Printable(r.URL.Query().Get("name")), data))
		}
	} else {
		var body []byte
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, largestCall)); err == nil {
			out, err = s.studio.Call(r.Context(), name, body)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		out, _ = json.Marshal(map[string]string{"error": render.Printable(err.Error())})
	}
	_, _ = w.Write(out)
}

// asset gives a file of the page.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "files are fetched", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	f, err := assets.Open("assets/" + name + ".gz")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, "the page cannot be read", http.StatusInternalServerError)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.Copy(w, f)
		return
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		http.Error(w, "the page cannot be read", http.StatusInternalServerError)
		return
	}
	_, _ = io.Copy(w, z)
}
