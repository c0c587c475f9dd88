import { takeLabel } from "./features/salesbot/contacts/label-loss.ts";
import type { LabelUsers } from "./features/salesbot/labels/labels.ports.ts";
import { unusedBySegments } from "./features/salesbot/segments/segments.ports.ts";
import { findSegmentsUsing } from "./features/salesbot/segments/segments.service.ts";

/** What uses tags and stages, as their deletion needs to know it. */
export const LABEL_USERS: LabelUsers = { unusedBySegments, findSegmentsUsing, takeLabel };
