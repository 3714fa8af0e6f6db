import { describe, expect, it } from '@jest/globals';
import { parseTime, type Instant } from '@kruise/objects';
import { deepFreeze } from '../../conversion/round-trip.testing.ts';
import { defaultNodeImage } from './defaults.ts';

const now = parseTime('2026-01-02T03:04:05Z') as Instant;
const pullPolicy = { timeoutSeconds: 600, backoffLimit: 3 };

describe('defaults of NodeImages', () => {
  it('each tag says when it was requested and how it is pulled, and the tags are sorted', () => {
    const given = deepFreeze({
      metadata: { name: 'n' },
      spec: {
        images: {
          nginx: {
            tags: [{ tag: 'b', createdAt: '2020-01-01T00:00:00Z', pullPolicy: { timeoutSeconds: 5 } }, { tag: '1.9' }, { tag: '1.10' }],
          },
        },
      },
      status: {
        desired: 2,
        imageStatuses: {
          nginx: {
            tags: [
              { tag: 'b', phase: 'Waiting' },
              { tag: 'a', phase: 'Failed' },
            ],
          },
        },
      },
    });
    const once = defaultNodeImage(given, now);
    expect(once).toEqual({
      metadata: { name: 'n' },
      spec: {
        images: {
          nginx: {
            tags: [
              { tag: '1.10', createdAt: '2026-01-02T03:04:05Z', pullPolicy },
              { tag: '1.9', createdAt: '2026-01-02T03:04:05Z', pullPolicy },
              { tag: 'b', createdAt: '2020-01-01T00:00:00Z', pullPolicy: { timeoutSeconds: 5, backoffLimit: 3 } },
            ],
          },
        },
      },
      status: {
        desired: 2,
        imageStatuses: {
          nginx: {
            tags: [
              { tag: 'a', phase: 'Failed' },
              { tag: 'b', phase: 'Waiting' },
            ],
          },
        },
      },
    });
    expect(defaultNodeImage(once, now)).toBe(once);
  });

  it('leaves tags in their order that are equal, and a list in which one has no tag', () => {
    const statuses = {
      a: { tags: [{ tag: 'a', phase: 'Failed' }, { tag: 'a' }] },
      b: { tags: [{ tag: 'b' }, { phase: 'Failed' }, { tag: 'a' }] },
      c: { tags: [{ tag: 'b' }, null, { tag: 'a' }] },
    };
    const object = deepFreeze({ metadata: { name: 'n' }, status: { imageStatuses: statuses } });
    expect(defaultNodeImage(object, now)).toBe(object);
  });

  it('leaves what it cannot read', () => {
    const odd = { metadata: { name: 'n' }, spec: { images: { a: null, b: { tags: 'x' }, c: { tags: [7] } } } };
    expect(defaultNodeImage(odd, now)).toBe(odd);
  });
});
