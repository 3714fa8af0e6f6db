/** Admission of CloneSets (being written: replace this file). */
import type { AdmissionHandler } from '@kruise/admission';
import type { HandlerDependencies } from '../../webhooks/handlers.ts';

export const cloneSetAdmission = (_dependencies: HandlerDependencies): readonly AdmissionHandler[] => [];
