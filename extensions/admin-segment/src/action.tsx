import "@shopify/ui-extensions/preact";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { platform, text } from "./platform.ts";
import { Progress } from "./progress.tsx";
import { TagForm } from "./tag-form.tsx";
import {
  isOpen,
  readRun,
  readTagging,
  startRun,
  type Problem,
  type Run,
  type Tagging,
} from "./service.ts";

const POLL_MS = 1_500;

export default async () => render(<Action />, document.body);

type Followed = { run: Run; tag: string };

function Action() {
  const segmentId = platform.data.selected[0]?.id ?? "";
  const [attempt, setAttempt] = useState(0);
  const [tagging, setTagging] = useState<Tagging | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tag, setTag] = useState("");
  const [isStarting, setIsStarting] = useState(false);
  const [followed, setFollowed] = useState<Followed | null>(null);

  useEffect(() => {
    let isCurrent = true;
    setProblem(null);
    void readTagging(segmentId).then((answer) => {
      if (!isCurrent) return;
      if ("problem" in answer) return setProblem(answer.problem);
      const { run } = answer.value;
      setTagging(answer.value);
      // Opened again while a run is under way.
      if (run && isOpen(run)) setFollowed({ run, tag: run.tag });
    });
    return () => {
      isCurrent = false;
    };
  }, [segmentId, attempt]);

  useEffect(() => {
    if (!followed || !isOpen(followed.run)) return undefined;
    const timer = setTimeout(() => {
      void readRun(followed.run.id).then((answer) => {
        if ("value" in answer) setFollowed({ ...followed, run: answer.value.run });
        else if (answer.problem === "unauthorized" || answer.problem === "noSegment") {
          // The app was uninstalled, or the run is gone: the segment is read again, which says so.
          setFollowed(null);
          setTagging(null);
          setAttempt((count) => count + 1);
        }
        // An answer that did not come is asked for again.
        else setFollowed({ ...followed });
      });
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [followed]);

  async function start(): Promise<void> {
    setIsStarting(true);
    setProblem(null);
    const answer = await startRun(segmentId, tag);
    setIsStarting(false);
    if ("problem" in answer) setProblem(answer.problem);
    else setFollowed({ run: answer.value.run, tag });
  }

  const canStart = tagging !== null && tagging.segment.customers > 0 && tagging.tags.length > 0;
  const nameOf = (slug: string) => tagging?.tags.find((one) => one.slug === slug)?.name ?? slug;
  return (
    <s-admin-action heading={text("name")} loading={!tagging && !problem}>
      <s-stack gap="base">
        {problem && <s-banner tone="critical">{text(problem)}</s-banner>}
        {followed && <Progress run={followed.run} tag={nameOf(followed.tag)} />}
        {!followed && tagging && <TagForm tagging={tagging} tag={tag} onChoose={setTag} />}
      </s-stack>
      {!followed && !tagging && problem && (
        <s-button slot="primary-action" onClick={() => setAttempt(attempt + 1)}>
          {text("retry")}
        </s-button>
      )}
      {!followed && canStart && (
        <s-button
          slot="primary-action"
          variant="primary"
          disabled={tag === ""}
          loading={isStarting}
          onClick={() => void start()}
        >
          {text("assign")}
        </s-button>
      )}
      <s-button slot="secondary-actions" onClick={() => platform.close()}>
        {text(followed ? "close" : "cancel")}
      </s-button>
    </s-admin-action>
  );
}
