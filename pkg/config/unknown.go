package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// unknown warns about the variables with the prefix that nobody reads, in the order of their names.
func unknown(env map[string]string) (warnings []Warning) {
	known := variables()
	for _, name := range slices.Sorted(maps.Keys(env)) {
		read := slices.ContainsFunc(known, func(v variable) bool { return v.fullName() == name })
		if !read && !isServiceLink(name, env[name]) {
			warnings = append(warnings, Warning{name, "no such variable; " + advise(name, known)})
		}
	}
	return warnings
}

// advise names the known variable that takes the fewest changes of a character, unless half of the name would change.
func advise(name string, known []variable) string {
	short := strings.TrimPrefix(strings.ToUpper(name), Prefix+"_")
	nearest, least := "", len(short)/2+1
	for _, v := range known {
		if distance := levenshtein.ComputeDistance(short, v.name()); distance < least {
			nearest, least = v.fullName(), distance
		}
	}
	if nearest == "" {
		return "the command config --markdown lists them all"
	}
	return fmt.Sprintf("did you mean %s?", nearest)
}

// Kubernetes gives each container variables for the services of its namespace, named after the service
// (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables). For a service called
// columnstore-exporter, or columnstore-exporter-something, they have the prefix.
var (
	serviceName = regexp.MustCompile(`^` + Prefix + `_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)
	servicePort = regexp.MustCompile(`^` + Prefix + `_([A-Z0-9_]+_)?PORT$`)
	serviceURL  = regexp.MustCompile(`^(tcp|udp|sctp)://`)
)

// isServiceLink tells whether Kubernetes set the variable. A name that only ends in PORT may be an operator's guess, and
// is Kubernetes' with a URL alone.
func isServiceLink(name, value string) bool {
	return serviceName.MatchString(name) || servicePort.MatchString(name) && serviceURL.MatchString(value)
}

// oddities warns about settings that are right but do not do what they seem to.
func (s *Settings) oddities(given map[string]bool) (warnings []Warning) {
	if listen := fullName("LISTEN_ADDRESS"); s.Web.SystemdSocket && given[listen] {
		warnings = append(warnings, Warning{listen, fmt.Sprintf("not used beside %s=true", fullName("WEB_SYSTEMD_SOCKET"))})
	}
	for _, extra := range s.Discovery.probedTwice() {
		text := fmt.Sprintf("%s belongs to %s too and is probed twice; leave it out", quote(extra.Path), fullName("DBROOTS"))
		warnings = append(warnings, Warning{fullName("EXTRA_DIRECTORIES"), text})
	}
	return warnings
}
