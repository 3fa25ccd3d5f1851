package deploy_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	port = 10570 // of DESIGN and README
	data = "/var/lib/columnstore"
)

// exporter returns the exporter's container.
func exporter(t *testing.T, pod core.PodSpec) core.Container {
	t.Helper()
	i := slices.IndexFunc(pod.Containers, func(c core.Container) bool { return c.Name == "columnstore-exporter" })
	if i < 0 {
		t.Fatal("no container columnstore-exporter")
	}
	return pod.Containers[i]
}

// holdPod holds a pod to what the exporter needs in it, and to what it must not have.
func holdPod(t *testing.T, pod core.PodSpec) {
	t.Helper()
	c := exporter(t, pod)
	if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
		t.Error("a service can set settings")
	}
	if !pod.HostPID && (pod.ShareProcessNamespace == nil || !*pod.ShareProcessNamespace) {
		t.Error("the exporter does not see imports")
	}
	if grace := pod.TerminationGracePeriodSeconds; grace != nil && *grace < 5 {
		t.Errorf("the exporter has %d s to end", *grace)
	}
	holdContainer(t, c)
	var volumes []string
	for _, v := range pod.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, m := range c.VolumeMounts {
		if !slices.Contains(volumes, m.Name) {
			t.Errorf("there is no volume %s", m.Name)
		}
		if m.MountPath == data && (m.ReadOnly || m.MountPropagation == nil || *m.MountPropagation != core.MountPropagationHostToContainer) {
			t.Errorf("the DBroots are mounted as %+v", m)
		}
	}
}

func holdContainer(t *testing.T, c core.Container) {
	t.Helper()
	if len(c.Ports) != 1 || c.Ports[0].ContainerPort != port || validation.IsValidPortName(c.Ports[0].Name) != nil {
		t.Errorf("ports %+v", c.Ports)
	}
	if p := c.LivenessProbe; p == nil || p.HTTPGet.Path != "/-/healthy" || p.HTTPGet.Port.StrVal != c.Ports[0].Name {
		t.Errorf("liveness probe %v", p)
	}
	if p := c.ReadinessProbe; p != nil && (p.HTTPGet.Path != "/-/ready" || p.HTTPGet.Port.StrVal != c.Ports[0].Name) {
		t.Errorf("readiness probe %v", p)
	}
	yes, no := true, false
	want := &core.SecurityContext{
		RunAsUser: c.SecurityContext.RunAsUser, RunAsGroup: c.SecurityContext.RunAsGroup, RunAsNonRoot: &yes,
		AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
		Capabilities:   &core.Capabilities{Drop: []core.Capability{"ALL"}},
		SeccompProfile: &core.SeccompProfile{Type: core.SeccompProfileTypeRuntimeDefault},
	}
	if diff := cmp.Diff(want, c.SecurityContext); diff != "" || want.RunAsUser == nil || *want.RunAsUser == 0 {
		t.Errorf("security context (-want +got):\n%s", diff)
	}
	var names []string
	for _, e := range c.Env {
		names = append(names, e.Name)
	}
	holdUnknown(t, names...)
}

// holdDaemonSet holds a DaemonSet on the node to what it needs besides.
func holdDaemonSet(t *testing.T, d *apps.DaemonSet) {
	t.Helper()
	pod := d.Spec.Template.Spec
	holdPod(t, pod)
	selects(t, d.Spec.Selector, d.Spec.Template.Labels)
	if !pod.HostNetwork {
		t.Error("probe files are called after pods")
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("the pod gets a token of Kubernetes")
	}
	if exporter(t, pod).ReadinessProbe == nil {
		t.Error("a roll-out does not wait for measurements")
	}
}

// holdMonitor holds a PodMonitor to the pods that it is for.
func holdMonitor(t *testing.T, objects []runtime.Object, template core.PodTemplateSpec) {
	t.Helper()
	m := one[*monitoring.PodMonitor](t, objects)
	selects(t, &m.Spec.Selector, template.Labels)
	endpoint := m.Spec.PodMetricsEndpoints[0]
	if name := exporter(t, template.Spec).Ports[0].Name; endpoint.Port == nil || *endpoint.Port != name {
		t.Errorf("the monitor is for the port %v, the pod has %s", endpoint.Port, name)
	}
	if i := slices.IndexFunc(endpoint.RelabelConfigs, func(r monitoring.RelabelConfig) bool {
		return r.TargetLabel == "job" && *r.Replacement == "columnstore_exporter"
	}); i < 0 {
		t.Error("the job has another name than in the rules")
	}
}

func selects(t *testing.T, selector *meta.LabelSelector, of labels.Set) {
	t.Helper()
	s, err := meta.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	if s.Empty() || !s.Matches(of) {
		t.Errorf("%v does not select %v", s, of)
	}
}
