/** An API server that refuses writes of the children of one subset. */
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { subsetOf } from '@kruise/kinds/uniteddeployment';

const forbidden = (message: string): ApiError => new ApiError(message, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
export const quota = 'clonesets.apps.kruise.io "web-b" is forbidden: exceeded quota: few, requested: count/clonesets.apps.kruise.io=1';
export const webhook = 'admission webhook "policy.example.com" denied the request: not in this zone';

/** Refuses writes of the children of one subset, as long as it is on. */
export class Gate {
  isOn = true;
  attempts = 0;
  readonly #concerns: (call: FakeCall) => boolean;
  readonly #message: string;

  constructor(message: string, concerns: (call: FakeCall) => boolean) {
    this.#message = message;
    this.#concerns = concerns;
  }

  readonly before = (call: FakeCall): void => {
    if (!this.isOn || !this.#concerns(call)) return;
    this.attempts++;
    throw forbidden(this.#message);
  };
}

export const creates =
  (subset: string, kind = 'CloneSet') =>
  ({ verb, type, body }: FakeCall): boolean =>
    verb === 'create' && type?.kind === kind && subsetOf(body as never) === subset;
export const patches =
  (subset: string) =>
  ({ verb, type, key }: FakeCall): boolean =>
    verb === 'patch' && type?.kind === 'CloneSet' && key.name.startsWith(`web-${subset}-`);
