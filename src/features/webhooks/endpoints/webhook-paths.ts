export const WEBHOOKS_PATH = "/api/v1/workspace-webhooks";
export const ENDPOINTS_PATH = `${WEBHOOKS_PATH}/endpoints`;
export const ENDPOINT_PATH = `${ENDPOINTS_PATH}/{endpoint}`;
