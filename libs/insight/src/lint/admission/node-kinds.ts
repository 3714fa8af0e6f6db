/** Creation of the kinds that the node agent carries out, and of ResourceDistributions. */
import {
  defaultImageListPullJob,
  defaultImagePullJob,
  defaultNodeImage,
  imageListPullJobFault,
  imagePullJobFault,
  inHub,
  nodeImageFault,
  protectImagePullJob,
  pullBoundsFault,
  pullPolicyWarnings,
  resourceDistributionWarnings,
  validateContainerRecreateRequest,
  validateDistributedResource,
  validateDistributionName,
  validateTargets,
} from '@kruise/api';
import { instant } from '@kruise/objects';
import type { KindCreation } from './creation.ts';
import { gateDenial } from './gate-denial.ts';

const oldObject = undefined;

/** The Pod of a request is read from the cluster, where alone it runs. */
const containerRecreateRequest: KindCreation = {
  gateDenial: gateDenial('KruiseDaemon'),
  findings: (object) => ({ faults: validateContainerRecreateRequest(object) }),
};

const imagePullJob: KindCreation = {
  gateDenial: gateDenial('KruiseDaemon', 'ImagePullJobGate'),
  defaulted: (object) => protectImagePullJob(defaultImagePullJob(object)),
  findings: (object) => ({
    faults: [],
    denial: imagePullJobFault(object) ?? pullBoundsFault(object),
    warnings: pullPolicyWarnings(object),
  }),
};

const imageListPullJob: KindCreation = {
  gateDenial: gateDenial('KruiseDaemon', 'ImagePullJobGate'),
  defaulted: (object) => defaultImageListPullJob(object),
  findings: (object) => ({
    faults: [],
    denial: imageListPullJobFault(object) ?? pullBoundsFault(object),
    warnings: pullPolicyWarnings(object),
  }),
};

/** The defaults contain the time of the request, which no rule reads. */
const nodeImage: KindCreation = {
  gateDenial: gateDenial('KruiseDaemon'),
  defaulted: (object) => defaultNodeImage(object, instant(0)),
  findings: (object) => ({ faults: [], denial: nodeImageFault(object) }),
};

/** The webhook also asks the API server whether the resource can exist. */
const resourceDistribution: KindCreation = {
  gateDenial: gateDenial('ResourceDistributionGate'),
  findings: (sent) => {
    const object = inHub(sent);
    return {
      faults: [...validateDistributionName(object), ...validateDistributedResource(object, oldObject), ...validateTargets(object)],
      warnings: resourceDistributionWarnings(object),
    };
  },
};

/** By `group/Kind`. */
export const nodeCreations: Readonly<Record<string, KindCreation>> = {
  'apps.kruise.io/ContainerRecreateRequest': containerRecreateRequest,
  'apps.kruise.io/ImageListPullJob': imageListPullJob,
  'apps.kruise.io/ImagePullJob': imagePullJob,
  'apps.kruise.io/NodeImage': nodeImage,
  'apps.kruise.io/ResourceDistribution': resourceDistribution,
};
