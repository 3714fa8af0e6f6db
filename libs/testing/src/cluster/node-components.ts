/** Configuration and command lines of real nodes: registry, containerd, kubelet, kube-proxy. Pure. */
import { join } from 'node:path';
import { type ComponentSpec } from './component-set.ts';
import { podCidr } from './control-plane-components.ts';
import { pauseImage } from './sample-images.ts';

export const nodeBridge = 'kruise0';
export const podBridge = 'kruise-pods';
export const apiAddress = '172.30.0.1';

export interface NodeLayout {
  /** Folder of the cluster. */
  readonly dir: string;
  readonly clusterName: string;
  /** From 1. */
  readonly number: number;
  readonly kubeletPort: number;
  /** e.g. `127.0.0.1:5000`. */
  readonly registry: string;
}

export const nodeName = (number: number): string => `node${number}`;
export const nodeAddress = (number: number): string => `172.30.0.${number + 1}`;
export const nodeFolder = (node: Pick<NodeLayout, 'dir' | 'number'>): string => join(node.dir, nodeName(node.number));
export const containerdSocket = (node: Pick<NodeLayout, 'dir' | 'number'>): string => join(nodeFolder(node), 'run', 'containerd.sock');
/** Begins the names of all cgroups of a cluster. */
export const cgroupPrefix = (clusterName: string): string => `kruise-${clusterName}-node`;
export const cgroupOf = (node: Pick<NodeLayout, 'clusterName' | 'number'>): string => `${cgroupPrefix(node.clusterName)}${node.number}`;
export const cniNetwork = (clusterName: string): string => `kruise-${clusterName}`;

/** JSON, which is YAML. */
export function registryConfig(dir: string, address: string): string {
  return JSON.stringify({
    version: 0.1,
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: join(dir, 'registry') }, delete: { enabled: true } },
    http: { addr: address },
  });
}

/** The registry replaces docker.io and registry.k8s.io. */
export const mirroredRegistries = (registry: string): readonly string[] => ['docker.io', 'registry.k8s.io', registry];

export const mirrorConfig = (registry: string): string =>
  `server = "http://${registry}"\n\n[host."http://${registry}"]\n  capabilities = ["pull", "resolve"]\n`;

export function cniConfig(node: Pick<NodeLayout, 'dir' | 'clusterName'>): string {
  const ipam = { type: 'host-local', dataDir: join(node.dir, 'ipam'), ranges: [[{ subnet: podCidr }]], routes: [{ dst: '0.0.0.0/0' }] };
  const plugins = [
    { type: 'bridge', bridge: podBridge, isGateway: true, ipMasq: false, hairpinMode: true, ipam },
    { type: 'portmap', capabilities: { portMappings: true } },
  ];
  return JSON.stringify({ cniVersion: '0.4.0', name: cniNetwork(node.clusterName), plugins }, undefined, 2);
}

/**
 * Returns a configuration that keeps everything in the node's folder that containerd would put into folders of the machine. `restrict_oom_score_adj`:
 * inside a container runc must not lower its score.
 */
export function containerdConfig(node: NodeLayout, cniBinaries = '/usr/lib/cni'): string {
  const folder = nodeFolder(node);
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${folder}/containerd"
state = "${folder}/run"
disabled_plugins = ["io.containerd.internal.v1.opt"]

[grpc]
  address = "${containerdSocket(node)}"

[${cri}]
  sandbox_image = "${node.registry}/${pauseImage.repository}:${pauseImage.tag}"
  disable_apparmor = true
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [${cri}.cni]
    bin_dir = "${cniBinaries}"
    conf_dir = "${folder}/cni"
  [${cri}.registry]
    config_path = "${folder}/certs.d"
  [${cri}.containerd]
    default_runtime_name = "runc"
    [${cri}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${cri}.containerd.runtimes.runc.options]
        Root = "${folder}/runc"
`;
}

/** Collects garbage less often: the programs of three nodes share the machine with everything else, and need less CPU time for more memory. */
const collectsSeldom = { GOGC: '400' };

export function containerd(node: NodeLayout, command: string): ComponentSpec {
  const folder = nodeFolder(node);
  return {
    name: `containerd-${nodeName(node.number)}`,
    command,
    args: ['--config', join(folder, 'containerd.toml')],
    env: { TMPDIR: join(folder, 'tmp'), ...collectsSeldom },
  };
}

/** Returns JSON, which is YAML. The thresholds keep small machines from evicting and from collecting images. */
export function kubeletConfig(node: NodeLayout): string {
  const folder = nodeFolder(node);
  const pki = (file: string): string => join(node.dir, 'pki', file);
  return JSON.stringify(
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: pki('ca.crt') } },
      authorization: { mode: 'Webhook' },
      tlsCertFile: pki(`${nodeName(node.number)}.crt`),
      tlsPrivateKeyFile: pki(`${nodeName(node.number)}.key`),
      address: nodeAddress(node.number),
      port: node.kubeletPort,
      healthzPort: 0,
      readOnlyPort: 0,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${cgroupOf(node)}`,
      containerRuntimeEndpoint: `unix://${containerdSocket(node)}`,
      failSwapOn: false,
      failCgroupV1: false,
      resolvConf: '/etc/resolv.conf',
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      imageGCHighThresholdPercent: 99,
      imageGCLowThresholdPercent: 98,
      evictionHard: { 'nodefs.available': '1%', 'imagefs.available': '1%', 'memory.available': '100Mi' },
      enforceNodeAllocatable: [],
      nodeStatusUpdateFrequency: '5s',
      syncFrequency: '10s',
      maxPods: 200,
      serializeImagePulls: false,
      registryPullQPS: 0,
      kubeAPIQPS: 200,
      kubeAPIBurst: 400,
      localStorageCapacityIsolation: false,
      podLogsDir: join(folder, 'pods'),
      volumePluginDir: join(folder, 'volume-plugins'),
      shutdownGracePeriod: '0s',
    },
    undefined,
    2,
  );
}

export function kubelet(node: NodeLayout, command: string): ComponentSpec {
  const folder = nodeFolder(node);
  const labels = { 'kubernetes.io/hostname': nodeName(node.number), 'topology.kubernetes.io/zone': `zone-${node.number}` };
  const args = [
    `--config=${join(folder, 'kubelet.json')}`,
    `--kubeconfig=${join(folder, 'kubelet.kubeconfig')}`,
    `--root-dir=${join(folder, 'kubelet')}`,
    `--cert-dir=${join(folder, 'pki')}`,
    `--hostname-override=${nodeName(node.number)}`,
    `--node-ip=${nodeAddress(node.number)}`,
    `--node-labels=${Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',')}`,
    '--v=2',
  ];
  return { name: `kubelet-${nodeName(node.number)}`, command, args, env: { TMPDIR: join(folder, 'tmp'), ...collectsSeldom } };
}

/** Returns the kube-proxy of the machine: all nodes share its network. */
export function kubeProxy(dir: string, command: string, ports: { readonly metrics: number; readonly health: number }): ComponentSpec {
  const args = [
    `--kubeconfig=${join(dir, 'kube-proxy.kubeconfig')}`,
    '--proxy-mode=nftables',
    `--hostname-override=${nodeName(1)}`,
    `--cluster-cidr=${podCidr}`,
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0',
    '--conntrack-tcp-timeout-close-wait=0',
    `--metrics-bind-address=127.0.0.1:${ports.metrics}`,
    `--healthz-bind-address=127.0.0.1:${ports.health}`,
  ];
  return { name: 'kube-proxy', command, args };
}

const rbac = 'rbac.authorization.k8s.io';
const claimReaders = { name: 'local-cluster:node-claims' };

/**
 * Lets every node read every claim. Without it the API server allows that a moment after a Pod is bound. A kubelet that asks earlier is refused, and
 * retries for this volume only when its wait for all volumes of the Pod ends, two minutes later.
 */
export const nodesReadClaims = {
  role: {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: claimReaders,
    rules: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] }],
  },
  binding: {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: claimReaders,
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: claimReaders.name },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:nodes' }],
  },
};

export const defaultStorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/host-path',
  allowVolumeExpansion: true,
};
