/** All kinds, in the order of their CRD names. A kind's folder exports `declaration` and, with two versions, `converter`. */
import type { Converter } from '../conversion/converter.ts';
import type { KindDeclaration } from '../schema/kind.ts';
import * as advancedcronjob from './advancedcronjob/index.ts';
import * as broadcastjob from './broadcastjob/index.ts';
import * as cloneset from './cloneset/index.ts';
import * as containerrecreaterequest from './containerrecreaterequest/index.ts';
import * as daemonset from './daemonset/index.ts';
import * as ephemeraljob from './ephemeraljob/index.ts';
import * as imagelistpulljob from './imagelistpulljob/index.ts';
import * as imagepulljob from './imagepulljob/index.ts';
import * as nodeimage from './nodeimage/index.ts';
import * as nodepodprobe from './nodepodprobe/index.ts';
import * as persistentpodstate from './persistentpodstate/index.ts';
import * as podprobemarker from './podprobemarker/index.ts';
import * as podunavailablebudget from './podunavailablebudget/index.ts';
import * as resourcedistribution from './resourcedistribution/index.ts';
import * as sidecarset from './sidecarset/index.ts';
import * as statefulset from './statefulset/index.ts';
import * as uniteddeployment from './uniteddeployment/index.ts';
import * as workloadspread from './workloadspread/index.ts';

export const allKinds: readonly KindDeclaration[] = [
  advancedcronjob.declaration,
  broadcastjob.declaration,
  cloneset.declaration,
  containerrecreaterequest.declaration,
  daemonset.declaration,
  ephemeraljob.declaration,
  imagelistpulljob.declaration,
  imagepulljob.declaration,
  nodeimage.declaration,
  nodepodprobe.declaration,
  persistentpodstate.declaration,
  podprobemarker.declaration,
  podunavailablebudget.declaration,
  resourcedistribution.declaration,
  sidecarset.declaration,
  statefulset.declaration,
  uniteddeployment.declaration,
  workloadspread.declaration,
];

export const allConverters: readonly Converter[] = [
  advancedcronjob.converter,
  broadcastjob.converter,
  cloneset.converter,
  containerrecreaterequest.converter,
  daemonset.converter,
  imagelistpulljob.converter,
  imagepulljob.converter,
  nodeimage.converter,
  persistentpodstate.converter,
  podunavailablebudget.converter,
  resourcedistribution.converter,
  sidecarset.converter,
  statefulset.converter,
  uniteddeployment.converter,
  workloadspread.converter,
];
