/** The Node and Lease objects of simulated nodes. Pure. */
export interface NodeInput {
  readonly name: string;
  readonly index: number;
  readonly taint: boolean;
  /** RFC 3339. */
  readonly now: string;
}

const simulatedTaint = 'simulated.kruise.io/node';

/** Returns an address of the documentation range, where no server listens. */
export const nodeAddress = (index: number): string => `198.18.${(index >> 8) & 0xff}.${index & 0xff}`;

const room = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '500' };

function conditions(now: string): readonly object[] {
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: 'False',
    reason: `KubeletHasNo${type}`,
    message: 'simulated',
  }));
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'simulated kubelet is posting ready status' };
  return [...pressures, ready].map((condition) => ({ ...condition, lastHeartbeatTime: now, lastTransitionTime: now }));
}

export function nodeOf(input: NodeInput): { readonly metadata: object; readonly spec: object; readonly status: object } {
  const labels = {
    'kubernetes.io/hostname': input.name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'topology.kubernetes.io/zone': `zone-${(input.index % 3) + 1}`,
    type: 'simulated',
  };
  const info = {
    kubeletVersion: 'v1.34.4',
    containerRuntimeVersion: 'containerd://1.6.20',
    operatingSystem: 'linux',
    architecture: 'amd64',
    osImage: 'simulated',
    kernelVersion: '6.1',
  };
  const ids = { machineID: input.name, systemUUID: input.name, bootID: input.name, kubeProxyVersion: '' };
  return {
    metadata: { name: input.name, labels },
    spec: input.taint ? { taints: [{ key: simulatedTaint, effect: 'NoSchedule' }] } : {},
    status: {
      capacity: room,
      allocatable: room,
      conditions: conditions(input.now),
      addresses: [
        { type: 'InternalIP', address: nodeAddress(input.index) },
        { type: 'Hostname', address: input.name },
      ],
      nodeInfo: { ...info, ...ids },
    },
  };
}

/** Returns the Lease of a node. @param now as of Date.toISOString */
export function leaseOf(name: string, now: string): object {
  return {
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: `${now.slice(0, -1)}000Z` },
  };
}
