/** Selectors that no Pod template of the files has the labels for. */
import { broadcastJobLabels, cloneSetLabels, labels as podLabels, unitedDeploymentLabels } from '@kruise/api';
import {
  isEmptyLabelSelector,
  labelMatcherOf,
  memberAt,
  membersAt,
  objectsAt,
  textAt,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import type { Files, Template } from '../objects/files.ts';
import { finding, type Finding } from '../findings/finding.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';

const namespaceName = 'kubernetes.io/metadata.name';

const keysOf = (selector: unknown): readonly string[] => [
  ...Object.keys(membersAt(selector, 'matchLabels')),
  ...objectsAt(selector, 'matchExpressions').map((expression) => textAt(expression, 'key')),
];

/** Labels that controllers add to Pods: no template of a file has them. */
const addedKeys: ReadonlySet<string> = new Set([
  podLabels.controllerRevisionHash,
  podLabels.lifecycleState,
  podLabels.podIndex,
  podLabels.podTemplateGeneration,
  podLabels.podTemplateHash,
  podLabels.specifiedDelete,
  podLabels.statefulSetPodName,
  broadcastJobLabels.name,
  cloneSetLabels.instanceId,
  unitedDeploymentLabels.subsetName,
  'batch.kubernetes.io/job-name',
  'job-name',
]);

/** Returns the templates that a selector matches; undefined if it is none, selects everything, or names labels that only Pods have. */
export function selectedBy(selector: unknown, templates: readonly Template[]): readonly Template[] | undefined {
  if (selector === undefined || selector === null) return undefined;
  const parsed = labelMatcherOf(selector);
  if (parsed.kind === 'Illegal' || isEmptyLabelSelector(selector)) return undefined;
  if (keysOf(selector).some((key) => addedKeys.has(key))) return undefined;
  return templates.filter(({ labels }) => parsed.matcher.matches(labels));
}

/** Returns whether the SidecarSet may inject into Pods of the namespace. Labels of a namespace that the files do not contain are unknown. */
function mayReach(sidecarSet: JsonObject, namespace: string, files: Files): boolean {
  const selector = memberAt(sidecarSet, 'spec', 'namespaceSelector') as LabelSelector | undefined;
  const parsed = labelMatcherOf(selector);
  if (selector === undefined || parsed.kind === 'Illegal') return true;
  const written = files.namespace(namespace);
  if (written === undefined && keysOf(selector).some((key) => key !== namespaceName)) return true;
  const labels = memberAt(written?.object, 'metadata', 'labels') as Readonly<Record<string, string>> | undefined;
  return parsed.matcher.matches({ [namespaceName]: namespace, ...labels });
}

/** Returns whether Pods of a template have a container: its own, or one that a SidecarSet of the files injects. */
export const hasContainer = (template: Template, name: string, files: Files): boolean =>
  template.containers.includes(name) ||
  files
    .injectors(name)
    .some(
      ({ object }) =>
        mayReach(object, template.of.namespace, files) && selectedBy(memberAt(object, 'spec', 'selector'), [template])?.length !== 0,
    );

/** @param selected what the object selects; undefined when that is unknown */
function selectsNone(selected: readonly Template[] | undefined, files: Files): readonly Finding[] {
  const all = files.templateCount;
  return all > 0 && selected?.length === 0
    ? [finding('KR107', 'spec.selector', `matches none of ${all} Pod template${all === 1 ? '' : 's'} in the files`)]
    : [];
}

const inNamespace: AcrossCheck = ({ object, namespace }, files) => {
  const selector = memberAt(object, 'spec', 'selector');
  return selectsNone(selectedBy(selector, files.templatesFor(selector, namespace)), files);
};

const inReach: AcrossCheck = ({ object }, files) => {
  const selector = memberAt(object, 'spec', 'selector');
  const selected = selectedBy(selector, files.templatesFor(selector));
  return selectsNone(
    selected?.filter(({ of }) => mayReach(object, of.namespace, files)),
    files,
  );
};

/** The containers of a request for a Pod of the files. */
const podContainers: AcrossCheck = ({ object, namespace }, files) => {
  const pod = textAt(object, 'spec', 'podName');
  const template = files.pod(namespace, pod);
  const list = memberAt(object, 'spec', 'containers');
  if (template === undefined || !Array.isArray(list)) return [];
  return (list as readonly unknown[]).flatMap((container, i) => {
    const name = textAt(container, 'name');
    return hasContainer(template, name, files)
      ? []
      : [finding('KR110', `spec.containers[${i}].name`, `Pod ${pod} has no container ${name}`)];
  });
};

export const selectorChecks: ChecksByKind = {
  'apps.kruise.io/ContainerRecreateRequest': [podContainers],
  'apps.kruise.io/EphemeralJob': [inNamespace],
  'apps.kruise.io/PodProbeMarker': [inNamespace],
  'apps.kruise.io/SidecarSet': [inReach],
  'policy.kruise.io/PodUnavailableBudget': [inNamespace],
};
