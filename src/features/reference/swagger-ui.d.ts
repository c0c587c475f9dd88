// wrangler.toml has these files bundled as bytes.
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  const bytes: ArrayBuffer;
  export default bytes;
}
declare module "swagger-ui-dist/swagger-ui.css" {
  const bytes: ArrayBuffer;
  export default bytes;
}
