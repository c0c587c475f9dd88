/** Reports a page as its visitor does: with a form, which no client of the API has. */
export async function sendReport(publicUrl: string): Promise<void> {
  const { origin, pathname } = new URL(publicUrl);
  const body = new URLSearchParams({ at: pathname, reason: "spam" });
  const { status } = await fetch(`${origin}/_report`, { method: "POST", body, redirect: "manual" });
  if (status !== 303) throw new Error(`The report was answered with ${status}.`);
}
