import { describe, expect, it } from '@jest/globals';
import { allowed, type AdmissionHandler, type AdmissionRequest, type Decision, type NeedAhead } from '@kruise/admission';
import { sidecarSet } from '../kinds/sidecarset/index.ts';
import { widensFirst } from './widen-first.ts';

const path = '/validate-apps-kruise-io-sidecarset';
const denied: Decision = { kind: 'Denied', message: 'no' };
const spec = { selector: { matchLabels: { app: 'web' } }, containers: [] };

const request = (change: Partial<AdmissionRequest> = {}, object: object = { spec }): AdmissionRequest => ({
  uid: 'u',
  kind: { group: 'apps.kruise.io', version: 'v1beta1', kind: 'SidecarSet' },
  resource: { group: 'apps.kruise.io', version: 'v1beta1', resource: 'sidecarsets' },
  operation: 'CREATE',
  userInfo: {},
  object: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', metadata: { name: 's' }, ...object },
  ...change,
});

async function decide(
  asked: AdmissionRequest,
  decision = allowed,
  failure?: string,
  at = path,
): Promise<{ readonly answer: Decision | undefined; readonly widened: readonly NeedAhead[] }> {
  const widened: NeedAhead[] = [];
  const handler: AdmissionHandler = { path: at, decide: () => decision };
  const [wrapped] = widensFirst([handler], sidecarSet, (needs) => {
    widened.push(...needs);
    return failure === undefined ? Promise.resolve() : Promise.reject(new Error(failure));
  });
  return { answer: await wrapped?.decide(asked, new AbortController().signal), widened };
}

const need = { webhook: 'mpod.kb.io', need: { reason: 'sidecarset', objectSelector: spec.selector } };

describe('an object that needs a wider webhook', () => {
  it('is admitted after it was widened', async () => {
    expect(await decide(request())).toEqual({ answer: allowed, widened: [need] });
    expect((await decide(request({ operation: 'UPDATE' }))).widened).toEqual([need]);
  });

  it('widens only for needs that its stored version did not have', async () => {
    const { object } = request();
    expect((await decide(request({ operation: 'UPDATE', oldObject: object ?? null }))).widened).toEqual([]);
    const other = { ...object, spec: { ...spec, selector: { matchLabels: { app: 'db' } } } };
    expect((await decide(request({ operation: 'UPDATE', oldObject: other as never }))).widened).toEqual([need]);
  });

  it('is understood in its older version', async () => {
    const older = { apiVersion: 'apps.kruise.io/v1alpha1', spec: { ...spec, namespace: 'shop' } };
    expect((await decide(request({}, older))).widened).toEqual([
      { ...need, need: { ...need.need, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } } },
    ]);
  });

  it.each<{ name: string; asked: AdmissionRequest; decision?: Decision }>([
    { name: 'it is refused', asked: request(), decision: denied },
    { name: 'it is a dry run', asked: request({ dryRun: true }) },
    { name: 'it is deleted', asked: request({ operation: 'DELETE' }) },
    { name: 'its injection is paused', asked: request({}, { spec: { ...spec, injectionStrategy: { paused: true } } }) },
    { name: 'it selects nothing', asked: request({}, { spec: { ...spec, selector: {} } }) },
    { name: 'it has no spec', asked: request({}, { spec: null }) },
  ])('widens nothing when $name', async ({ asked, decision = allowed }) => {
    expect(await decide(asked, decision)).toEqual({ answer: decision, widened: [] });
  });

  it('is refused when the webhook cannot be widened', async () => {
    expect((await decide(request(), allowed, 'no answer')).answer).toEqual({
      kind: 'Failed',
      code: 500,
      message: 'the Pod webhook cannot be widened for it now, please try again: no answer',
    });
  });

  it('does not affect other handlers', async () => {
    expect((await decide(request(), allowed, undefined, '/validate-apps-kruise-io-cloneset')).widened).toEqual([]);
  });
});
