/** Admission of WorkloadSpreads. The rules are pure functions of libs/api. @see spec/workloadspread.md 4.1 */
import { rivalSearch } from '../../../workloads/rival-search.ts';
import type { AdmissionHandler } from '@kruise/admission';
import {
  inHub,
  workloadSpreadDeclaration,
  workloadSpreadFindings,
  workloadSpreads,
  workloadSpreadWhiteListKey,
  type SpreadSupport,
  type SpreadTemplate,
  type WorkloadSpread,
} from '@kruise/api';
import { ApiError, unlessDeleted } from '@kruise/kube';
import { fieldInternal, isJsonObject, memberAt, type JsonObject, type KubeObject } from '@kruise/objects';
import { gateDenial } from '../../../module/gate-denial.ts';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import { kindAdmission, type Findings, type Submission } from '../../../module/kind-admission.ts';
import { Rivals } from '../../../module/rivals.ts';
import { listedKind, type WhiteListReading, type GroupKind, byTarget, targetOf } from '@kruise/workloads';
import { whiteListOf, type WhiteListCache } from '../../../workloads/finder/index.ts';
import { spreadableType } from '@kruise/kinds/workloadspread';

type Version = 'v1alpha1' | 'v1beta1';

const internal = (why: string): Findings => ({ faults: [fieldInternal('spec.targetRef', why)] });

function supportOf(kind: GroupKind, reading: WhiteListReading): SpreadSupport {
  if (reading.kind === 'Faulty') return { kind: 'Unknown', why: reading.why };
  return { kind: listedKind(reading.kinds, kind) === undefined ? 'Unsupported' : 'Supported' };
}

const hasPatch = (object: JsonObject): boolean => {
  const subsets = memberAt(object, 'spec', 'subsets');
  return Array.isArray(subsets) && subsets.some((subset) => isJsonObject(memberAt(subset, 'patch')));
};

/** Names of the volumes that the claim templates of a workload add. */
function claimVolumesOf(workload: KubeObject): readonly string[] {
  const templates = memberAt(workload, 'spec', 'volumeClaimTemplates');
  const names = (Array.isArray(templates) ? templates : []).map((template) => memberAt(template, 'metadata', 'name'));
  return names.filter((name): name is string => typeof name === 'string');
}

/** On which patches are tried; undefined without a workload, or without one that says so. @throws ApiError */
async function templateFor(
  object: JsonObject,
  dependencies: HandlerDependencies,
  signal: AbortSignal,
): Promise<SpreadTemplate | undefined> {
  const { client, gates, allowPrivileged, kubernetes } = dependencies;
  const target = targetOf(object as unknown as KubeObject);
  const type = target === undefined ? undefined : spreadableType(target);
  const namespace = memberAt(object, 'metadata', 'namespace');
  if (target === undefined || type === undefined || target.name === '' || !hasPatch(object)) return undefined;
  const key = { namespace: typeof namespace === 'string' ? namespace : '', name: target.name };
  const workload = await unlessDeleted(client.get(type, key, { signal }));
  const template = memberAt(workload, 'spec', 'template');
  if (workload === undefined || !isJsonObject(template)) return undefined;
  return {
    template,
    claimVolumes: claimVolumesOf(workload),
    allowPrivileged,
    hostNetworkHostPorts: gates.DefaultHostNetworkHostPortsInPodTemplates,
    ...(kubernetes === undefined ? {} : { kubernetes }),
  };
}

/** The namespace is filled in: a client may leave it to the request. */
function inNamespace(object: JsonObject, namespace: string): JsonObject {
  return { ...object, metadata: { ...(memberAt(object, 'metadata') as JsonObject), namespace } };
}

/** What a review asks. */
interface Tools {
  readonly whiteList: WhiteListCache;
  readonly rivals: Rivals<WorkloadSpread>;
  readonly dependencies: HandlerDependencies;
}

async function findingsOf(
  { object: sent, oldObject: stored, request }: Submission<Version>,
  { whiteList, rivals, dependencies }: Tools,
  signal: AbortSignal,
): Promise<Findings> {
  const namespace = request.namespace ?? '';
  const object = inNamespace(inHub(sent), namespace);
  await whiteList.waitForSync(signal);
  const reading = whiteList.reading();
  const search = rivalSearch<WorkloadSpread>(object, namespace);
  const rival = await rivals.first(search, signal);
  try {
    const template = await templateFor(object, dependencies, signal);
    const found = workloadSpreadFindings(object, {
      listed: (kind) => supportOf(kind, reading),
      oldObject: stored === undefined ? undefined : inHub(stored),
      others: rival === undefined ? [] : [{ ...rival }],
      template,
    });
    if (found.faults.length === 0 && stored === undefined && request.dryRun !== true) rivals.letIn(search.object);
    return found;
  } catch (error) {
    if (error instanceof ApiError) return internal(`the workload cannot be read: ${error.message}`);
    throw error;
  }
}

/** The validating handler. */
export function workloadSpreadAdmission(dependencies: HandlerDependencies): readonly AdmissionHandler[] {
  const { caches, client, clock, podNamespace } = dependencies;
  const whiteList = whiteListOf(caches, podNamespace, workloadSpreadWhiteListKey);
  const rivals = new Rivals({ type: workloadSpreads, informer: caches.of(workloadSpreads, byTarget), client, clock });
  const tools: Tools = { whiteList, rivals, dependencies };
  return kindAdmission<Version>({
    declaration: workloadSpreadDeclaration,
    faultCode: 400,
    denial: () => gateDenial(dependencies.gates, 'WorkloadSpread'),
    findings: (submission, signal) => findingsOf(submission, tools, signal),
  });
}
