import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const FILE = resolve(import.meta.dirname, "../../.github/workflows/deploy.yml");
const workflow = readFileSync(FILE, "utf8");
const [NEW, OLD] = ["n".repeat(40), "o".repeat(40)];
const RELEASED = "r".repeat(40);

/** The shell of the step that keeps older code from replacing newer. */
function guard(): string {
  const [, step = ""] = workflow.split("It is still the newest of its branch");
  const [, script = ""] = /run: \|\n((?: {10}.*\n)+)/.exec(step) ?? [];
  return script.replaceAll(/^ {10}/gm, "");
}

/** What GitHub's shell makes of the step, where GitHub answers so. */
function judge(branch: string, head: string, behind: number): { ok: boolean; said: string } {
  const folder = mkdtempSync(join(tmpdir(), "signpost-workflow-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const gh = join(folder, "gh");
  const answers = [
    `"api repos/me/signpost/git/ref/heads/${branch} --jq .object.sha") echo ${head};;`,
    `"api repos/me/signpost/contents/.ci/last-release?ref=main "*) printf '# Which\\n${RELEASED}\\n';;`,
    `"api repos/me/signpost/compare/${RELEASED}...${NEW} --jq .behind_by") echo ${behind};;`,
  ];
  writeFileSync(gh, `#!/bin/sh\ncase "$*" in ${answers.join("\n")} *) exit 1;; esac\n`);
  chmodSync(gh, 0o755);
  const { status, stdout } = spawnSync("bash", ["-e", "-c", guard()], {
    encoding: "utf8",
    env: {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      GITHUB_REPOSITORY: "me/signpost",
      GITHUB_REF_NAME: branch,
      GITHUB_SHA: NEW,
    },
  });
  return { ok: status === 0, said: stdout };
}

test.each([
  ["main's newest", "main", NEW, 0, true, ""],
  ["main before a hotfix was merged", "main", NEW, 2, false, "main lacks 2 commits of rrrr"],
  ["what main has left behind", "main", OLD, 0, false, `main is at ${OLD} now`],
  ["a hotfix off what production runs", "hotfix/1", NEW, 0, true, ""],
  ["a hotfix that went on meanwhile", "hotfix/1", OLD, 0, false, `hotfix/1 is at ${OLD} now`],
  ["a branch without all of the release", "old", NEW, 2, false, "old lacks 2 commits of rrrr"],
])("the deploy's workflow takes %s: or not", (_name, branch, head, behind, ok, said) => {
  expect(judge(branch, head, behind)).toEqual({ ok, said: expect.stringContaining(said) });
});

test("the deploy's workflow takes no action by a tag, which can be moved", () => {
  const used = [...workflow.matchAll(/uses: (.*)/g)].map(([, action]) => action);
  expect(used).toHaveLength(4);
  for (const action of used)
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
