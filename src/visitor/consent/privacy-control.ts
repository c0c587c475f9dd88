/** Whether a browser says not to be followed: Global Privacy Control, also where a proxy says it too. */
export function hasPrivacyControl(headers: Headers): boolean {
  const said = headers.get("Sec-GPC");
  return said?.split(",").some((one) => one.trim() === "1") === true;
}
