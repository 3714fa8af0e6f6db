/** ContainerRecreateRequest: declaration, types, conversion and defaults. */
export { converter, preRecreateGraceMessage } from './conversion.ts';
export { defaultContainerRecreateRequest } from './defaults.ts';
export { containerRecreateRequests, containerRecreateRequestsV1Alpha1, declaration } from './schema.ts';
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
