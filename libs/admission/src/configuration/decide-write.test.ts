import { describe, expect, it } from '@jest/globals';
import { announced, installed } from './bundle-rotation.ts';
import { decideWrite } from './decide-write.ts';
import type { BrakedWrite } from './pace/restore-brake.ts';
import type { WebhookConfiguration } from '../webhook-configuration.ts';
import { initialState, next, type WebhookState } from './webhook-state.ts';

const nowMs = 1_000_000;
const narrowing = { a: { needs: [{ reason: 'first', condition: 'A' }] } };
const context = {
  target: { kind: 'Url', host: 'h', port: 1 } as const,
  paths: new Set(['/a']),
  ahead: [],
  fieldManager: 'kruise-manager',
  nowMs,
};
const configuration = (webhooks = [{ name: 'a', clientConfig: { url: 'https://old/a' } }]): WebhookConfiguration => ({
  metadata: { name: 'c' },
  webhooks,
});

const bundles = installed(announced({}, 'A', nowMs), 'A');
const knowing = next({ ...initialState(false, true), bundles }, { kind: 'NeedsChanged', narrowing });
const namesIn = ({ webhooks = [] }: WebhookConfiguration): readonly string[] => webhooks.map(({ name }) => name);

/** The state after a write that another writer has undone this many times in a row. */
function undone(state: WebhookState, times: number, given = context): WebhookState {
  const { write } = decideWrite(state, configuration(), given);
  const last = { ...(write as BrakedWrite), restores: times };
  return { ...state, written: { c: last } };
}

describe('whether a configuration is written now', () => {
  it('is written as planned when it differs', () => {
    const { update, narrowing: used, requeuesAtMs } = decideWrite(knowing, configuration(), context);
    expect(update === undefined ? [] : namesIn(update)).toEqual(['again.a', 'first.a']);
    expect([used, requeuesAtMs]).toEqual([narrowing, []]);
  });

  it('is not when it does not differ', () => {
    const { update } = decideWrite(knowing, configuration(), context);
    expect(decideWrite(knowing, update as WebhookConfiguration, context)).toEqual({ ignored: [], narrowing, requeuesAtMs: [] });
  });

  it("is written by the installer's rules when the API server refused the needs", () => {
    const refused = next(knowing, { kind: 'NarrowingRefused', narrowing });
    const { update, narrowing: used } = decideWrite(refused, configuration(), context);
    expect([update === undefined ? [] : namesIn(update), used]).toEqual([['a'], undefined]);
  });

  it('waits while another writer undoes it, when that does not narrow it otherwise', () => {
    const decided = decideWrite(undone(knowing, 5), configuration(), context);
    expect(decided).toEqual({ ignored: [], narrowing, requeuesAtMs: [nowMs + 1000] });
  });

  it('is widened immediately when that narrows it otherwise', () => {
    const { update } = decideWrite(
      next(knowing, { kind: 'NeedsChanged', narrowing: { a: { needs: [{ reason: 'less', condition: 'B' }] } } }),
      configuration(),
      context,
    );
    const decided = decideWrite(undone(knowing, 5), update as WebhookConfiguration, context);
    expect(decided.update === undefined ? [] : namesIn(decided.update)).toEqual(['a']);
    expect(decided.requeuesAtMs).toEqual([nowMs + 1000]);
  });

  it('does not wait while a caller does', () => {
    const ahead = [{ webhook: 'a', need: { reason: 'second', condition: 'B' } }];
    const { update } = decideWrite(undone(knowing, 5), configuration(), { ...context, ahead });
    expect(update === undefined ? [] : namesIn(update)).toEqual(['again.a', 'first.a', 'second.a']);
  });

  describe('when it does not differ, but this program owns fields of it', () => {
    const ownedSince = (ms: number): WebhookConfiguration => {
      const { update } = decideWrite(knowing, configuration(), context) as { readonly update: WebhookConfiguration };
      const managedFields = [{ manager: 'kruise-manager', operation: 'Update', time: new Date(ms).toISOString() }];
      return { ...update, metadata: { ...update.metadata, managedFields } as WebhookConfiguration['metadata'] };
    };

    it('waits until the last write is two seconds ago', () => {
      const { update, requeuesAtMs } = decideWrite(knowing, ownedSince(nowMs - 1000), context);
      expect([update, requeuesAtMs]).toEqual([undefined, [nowMs + 1000]]);
    });

    it('releases them, which is no restore', () => {
      const state = undone(knowing, 5);
      const { update, write } = decideWrite(state, ownedSince(nowMs - 2000), context);
      expect(update?.metadata).toHaveProperty('managedFields', []);
      expect(write).toEqual(state.written['c']);
    });

    it('keeps them while a caller waits', () => {
      const ahead = [{ webhook: 'b', need: { reason: 'second', condition: 'B' } }];
      expect(decideWrite(knowing, ownedSince(0), { ...context, ahead }).update).toBeUndefined();
    });
  });

  it('names the webhooks that no handler serves', () => {
    const both = configuration([...(configuration().webhooks ?? []), { name: 'b', clientConfig: { url: 'https://old/b' } }] as never);
    expect(decideWrite(knowing, both, context).ignored).toEqual(['b']);
  });
});
