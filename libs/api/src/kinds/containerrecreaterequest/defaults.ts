/** Defaults of a new ContainerRecreateRequest of either version, as far as they need no Pod (spec/containerrecreaterequest.md 4). */
import { changeMember, withMetadataValues, type JsonObject } from '@kruise/objects';
import { fillEmpty } from '../../members/fill.ts';
import { labels } from '../../well-known.ts';

/** Returns the defaults for CREATE: the request is active, and stops at the first failure. Never writes to the input. */
export function defaultContainerRecreateRequest(object: JsonObject): JsonObject {
  const withStrategy = changeMember(object, 'spec', (spec) =>
    changeMember(spec, 'strategy', (strategy) => fillEmpty(strategy, { failurePolicy: 'Fail' })),
  );
  return withMetadataValues(withStrategy, 'labels', { [labels.recreateActive]: 'true' });
}
