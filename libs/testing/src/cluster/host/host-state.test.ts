import { describe, expect, it } from '@jest/globals';
import { parseChains, parseMounts } from './host-state.ts';

describe('parseMounts', () => {
  const mounts = [
    'tmpfs /c tmpfs rw 0 0',
    'proc /c2/x proc rw 0 0',
    'tmpfs /c/a tmpfs rw 0 0',
    String.raw`tmpfs /c/a/b\040c tmpfs rw 0 0`,
  ].join('\n');

  it('finds mounts at or below the folder, the last mounted first, and reads escapes', () => {
    expect(parseMounts(mounts, '/c')).toEqual(['/c/a/b c', '/c/a', '/c']);
  });
});

describe('parseChains', () => {
  it('finds the chains of Kubernetes and CNI with their table, and no others', () => {
    const saved =
      '# x\n*mangle\n:PREROUTING ACCEPT [0:0]\n:KUBE-KUBELET-CANARY - [0:0]\nCOMMIT\n*nat\n:DOCKER - [0:0]\n:CNI-HOSTPORT-DNAT - [0:0]\n-A PREROUTING -j CNI-HOSTPORT-DNAT\nCOMMIT\n';
    expect(parseChains(saved)).toEqual(['mangle KUBE-KUBELET-CANARY', 'nat CNI-HOSTPORT-DNAT']);
  });
});
