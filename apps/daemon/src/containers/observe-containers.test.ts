import { describe, expect, it } from '@jest/globals';
import type { CriContainer } from '@kruise/cri';
import { newestOfEach } from './observe-containers.ts';

const instance = (id: string, attempt: number, createdAt = '1767225600000000000'): CriContainer => ({
  id,
  podSandboxId: 'sandbox',
  metadata: { name: 'app', attempt },
  imageRef: 'app:1',
  state: 'CONTAINER_EXITED',
  createdAt,
  labels: { 'io.kubernetes.container.name': 'app' },
  annotations: {},
});

describe('the newest instance of a container', () => {
  it.each<{ name: string; instances: readonly CriContainer[]; then: string }>([
    { name: 'was created last', instances: [instance('c', 0, '9'), instance('a', 1, '10')], then: 'a' },
    { name: 'is the last attempt of those created at the same time', instances: [instance('b', 9), instance('a', 10)], then: 'a' },
    { name: 'has the greater id when everything else is equal', instances: [instance('a', 1), instance('b', 1)], then: 'b' },
  ])('$name, in whatever order they are listed', ({ instances, then }) => {
    for (const listed of [instances, instances.toReversed()])
      expect(newestOfEach({ name: 'containerd' }, listed).get('app')?.containerID).toBe(`containerd://${then}`);
  });
});
