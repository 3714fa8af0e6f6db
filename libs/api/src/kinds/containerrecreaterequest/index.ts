/** ContainerRecreateRequest: declaration, types, conversion, defaults and validation. */
export { containerRecreateRequestAnnotations, containerRecreateRequestFinalizer } from './names.ts';
export { converter as containerRecreateRequestConverter, preRecreateGraceMessage } from './conversion.ts';
export { defaultContainerRecreateRequest } from './defaults.ts';
export { aimContainerRecreateRequest, obstacleInPod } from './target.ts';
export type { AimedRequest } from './target.ts';
export { validateContainerRecreateRequest, validateContainerRecreateRequestUpdate } from './validation.ts';
export {
  containerRecreateRequests,
  containerRecreateRequestsV1Alpha1,
  declaration as containerRecreateRequestDeclaration,
} from './schema.ts';
export type {
  ContainerRecreateRequest,
  ContainerRecreateRequestContainer,
  ContainerRecreateRequestSpec,
  ContainerRecreateRequestStatus,
  ContainerRecreateRequestStrategy,
  ContainerRecreateRequestV1Alpha1,
  ContainerRecreateState,
  ContainerStatusSnapshot,
} from './schema.ts';
