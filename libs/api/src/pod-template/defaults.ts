/**
 * The defaults of Pod templates of the workload kinds. Unlike the core API's own defaults they always pull the images of containers and leave
 * serviceAccount, enableServiceLinks and tolerations unset.
 * @see spec/cloneset.md 4.2, spec/podreadiness.md 7
 */
import type { JsonObject } from '@kruise/objects';
import { mapItems, mapMember } from '../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../members/fill.ts';
import { defaultContainer, defaultEphemeralContainer, defaultInitContainer, withHostPorts } from './container-defaults.ts';
import { roundMap } from './quantities.ts';
import { defaultVolume } from './volume-defaults.ts';

/** What the defaults of a Pod template depend on besides the template. */
export interface TemplateDefaultOptions {
  /** Gate `DefaultHostNetworkHostPortsInPodTemplates`. */
  readonly hostNetworkHostPorts: boolean;
}

const texts: JsonObject = { dnsPolicy: 'ClusterFirst', restartPolicy: 'Always', schedulerName: 'default-scheduler' };
const values: JsonObject = { securityContext: {}, terminationGracePeriodSeconds: 30 };

/**
 * Returns the template (`{metadata, spec}`) with its defaults. Members that are set, unknown or of an unexpected type are unchanged; quantities finer
 * than thousandths are rounded up.
 *
 * @returns shares unchanged parts with the input, which is never written to; the input itself when nothing is missing
 */
export const defaultPodTemplate = (template: JsonObject, options: TemplateDefaultOptions): JsonObject =>
  mapMember(template, 'spec', (spec) => defaultPodSpec(spec, options));

function defaultPodSpec(spec: JsonObject, { hostNetworkHostPorts }: TemplateDefaultOptions): JsonObject {
  const filled = roundMap(fillAbsent(fillEmpty(spec, texts), values), 'overhead');
  const volumes = mapItems(filled, 'volumes', defaultVolume);
  const containers = mapItems(volumes, 'containers', defaultContainer);
  const inits = mapItems(containers, 'initContainers', defaultInitContainer);
  const all = mapItems(inits, 'ephemeralContainers', defaultEphemeralContainer);
  if (!hostNetworkHostPorts || spec['hostNetwork'] !== true) return all;
  return mapItems(mapItems(all, 'containers', withHostPorts), 'initContainers', withHostPorts);
}
