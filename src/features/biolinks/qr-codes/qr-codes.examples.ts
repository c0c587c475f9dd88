import { exampleId } from "../../../api/ids.ts";

const style = {
  foreground: "#000000",
  background: "#ffffff",
  shape: "square",
  logo: null,
  margin: 4,
  error_correction: "M",
  compact: true,
};
const target = { type: "url", url: "https://example.com/menu" };

export const CREATE_QR_CODE = { name: "Table 7", target, style: { shape: "rounded" } };

export const UPDATE_QR_CODE = { target: { type: "link", link: exampleId("link") } };

export const PREVIEW_QR_CODE = { target, style: { foreground: "#1a2b3c" } };

export const QR_CODE = {
  id: exampleId("qr_code"),
  revision: "5f60718293a4b5c6d7e8f9011b2c3d4e",
  name: "Table 7",
  code: "7H4T0ZKM",
  dynamic: true,
  target,
  payload: "HTTPS://SIGN.EXAMPLE/Q/7H4T0ZKM",
  style: { ...style, shape: "rounded" },
  warnings: [],
  status: "active",
  image_url: `https://sign.example/assets/qr/${exampleId("qr_code")}.5f60718293a4b5c6d7e8f9011b2c3d4e.png`,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const QR_CODE_PREVIEW = {
  dynamic: true,
  payload: "HTTPS://SIGN.EXAMPLE/Q/00000000",
  warnings: [],
  svg: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
};
