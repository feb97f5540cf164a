package httpapi

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"atelier/ipc/accounts"
	"atelier/workshop"
)

// cookieName is the cookie in which browsers send the access token (H-14).
const cookieName = "access_token"

// revokedMessage refuses a token that was taken back.
const revokedMessage = "Invalid token: it was taken back"

// userHandler answers an authenticated request; its error becomes the body.
type userHandler func(http.ResponseWriter, *http.Request, accounts.User) error

// memberHandler answers a request of a user who may use the workspace.
type memberHandler func(http.ResponseWriter, *http.Request, caller) error

// caller is the user and workspace of a request (H-16).
type caller struct {
	User   accounts.User
	Access accounts.Access
}

// authenticated is the first of two layers: it looks up the user of the
// request's token.
func (s *Server) authenticated(next userHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		token, fromCookie := tokenOf(r)
		if token == "" {
			return s.unauthenticated(w, "No valid token found in Authorization header or cookie")
		}
		claims, err := s.opt.Tokens.read(token)
		if err != nil {
			return s.unauthenticated(w, err.Error())
		}
		if fromCookie {
			// A browser adds the cookie to requests of any site.
			if err := s.sameSite(r); err != nil {
				return fail(http.StatusForbidden, codeForbidden, "Access forbidden: the request comes from another site")
			}
		}
		user, err := s.opt.Accounts.User(r.Context(), claims.user)
		if workshop.IsFault(err, workshop.NotFound) {
			return s.unauthenticated(w, "Invalid token: its user is unknown")
		}
		if err != nil {
			return err
		}
		if claims.taken(user) {
			return s.unauthenticated(w, revokedMessage)
		}
		noteUser(r, user.ID)
		if err := s.rates.allow(w, user.ID); err != nil {
			return err
		}
		return next(w, r, user)
	}
}

// sameSite refuses a request that a browser sends for another site. This
// includes reading: a link or picture on another site would read with the
// cookie.
func (s *Server) sameSite(r *http.Request) error {
	checked := *r
	checked.Method = http.MethodPost // the check lets other methods pass
	return s.origins.Check(&checked)
}

func (s *Server) unauthenticated(w http.ResponseWriter, message string) error {
	if w.Header().Get("WWW-Authenticate") == "" {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	return fail(http.StatusUnauthorized, codeToken, message)
}

// tokenOf returns the only token that counts: a Bearer value if there is one,
// even an invalid one, else the cookie (H-14).
func tokenOf(r *http.Request) (token string, fromCookie bool) {
	scheme, value, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if value = strings.TrimSpace(value); strings.EqualFold(scheme, "Bearer") && value != "" {
		return value, false
	}
	if c, err := r.Cookie(cookieName); err == nil {
		return c.Value, true
	}
	return "", false
}

// member is the second layer: it looks up the workspace of the path and
// whether the user may use it. An unknown workspace is refused like one of
// others (H-08).
func (s *Server) member(next memberHandler) handler {
	return s.authenticated(func(w http.ResponseWriter, r *http.Request, u accounts.User) error {
		id, err := uuid.Parse(r.PathValue("id"))
		if err != nil || len(r.PathValue("id")) != 36 { // Parse also accepts {…} and urn:uuid:…
			return invalidField("workspace_id", "Invalid workspace ID format")
		}
		access, err := s.opt.Accounts.Access(r.Context(), id.String(), u.ID)
		if err != nil {
			return err
		}
		if !access.IsMember {
			return fail(http.StatusForbidden, codeForbidden, "Access forbidden: User is not a member of this workspace")
		}
		noteWorkspace(r, access.WorkspaceID)
		r = r.WithContext(s.paying(r.Context(), u.ID))
		return s.placed(w, r, caller{User: u, Access: access}, next)
	})
}
