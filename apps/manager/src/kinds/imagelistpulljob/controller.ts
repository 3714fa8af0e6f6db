/** What the controller of ImageListPullJobs reads, and which rules it follows. @see spec/image-pulling.md 5.6 */
import {
  eventReasons,
  imageListPullJobDeclaration,
  imageListPullJobs,
  imagePullJobs,
  type ImageListPullJob,
  type ImagePullJob,
} from '@kruise/api';
import { enqueueOwner, gathered, watchInformer, type StoreReader } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import { byController } from '@kruise/workloads';
import { planController } from '../../workloads/passes/plan-controller.ts';
import { announce, execute, stagesOf } from './execute.ts';
import { faultOf, imageOf, plan, type Action, type Plan, type Snapshot } from '@kruise/kinds/imagelistpulljob';

/** The kind has no flag of its own. */
const gathering = milliseconds(20);

interface Types {
  readonly object: ImageListPullJob;
  readonly known: { readonly children: StoreReader<ImagePullJob> };
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
}

export const imageListPullJobController = planController<Types>({
  name: imageListPullJobDeclaration.controllerName,
  workers: 3,
  gates: ['KruiseDaemon', 'ImagePullJobGate'],
  type: imageListPullJobs,
  sources: ({ caches }) => {
    const children = caches.of(imagePullJobs, byController);
    return {
      objects: caches.of(imageListPullJobs),
      known: { children: children.store },
      watches: [watchInformer(children, (event) => gathered(enqueueOwner(imageListPullJobs)(event), gathering))],
    };
  },
  rules: {
    examine: faultOf,
    observe: ({ children }, job, { refusals }) => {
      const { uid = '', namespace = '' } = job.metadata;
      const refused = refusals.of(uid, () => new Set(job.spec.images));
      return { job, children: children.byIndex(byController, uid, { namespace }), refused };
    },
    plan,
  },
  malformed: { announce: ({ recorder, object }, why) => recorder.event(object, 'Warning', eventReasons.failedCreate, why) },
  status: 'Merge',
  stages: ({ actions }) => ({ before: stagesOf(actions) }),
  subjectsOf: (action) => [imageOf(action) ?? []].flat(),
  objectOf: imageOf,
  execute,
  announce,
});
