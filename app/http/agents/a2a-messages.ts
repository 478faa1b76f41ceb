// Builds our messages in A2A's types.
import type { Artifact, Message, Part, Task } from "@a2a-js/sdk";
import { Role, TaskState } from "@a2a-js/sdk";
import { SKILLS } from "../../domain/agents/skills.ts";
import type { ToolOutcome } from "./tool-calls.ts";

const part = (content: NonNullable<Part["content"]>, mediaType: string): Part => ({
  content,
  mediaType,
  filename: "",
  metadata: undefined,
});
const text = (value: string): Part => part({ $case: "text", value }, "text/plain");

/** The response to free text: only structured requests are processed. */
const HELP = `This agent takes data parts, not sentences: {"skill": <id>, "arguments": {…}} or {"tool": <name>, "arguments": {…}}. Skills: ${SKILLS.map(({ id, description }) => `${id} (${description})`).join("; ")} The tools are those of /mcp, with the same arguments.`;

type Frame = { taskId: string; contextId: string; newId(): string; now: Date };

const toMessage = ({ taskId, contextId, newId }: Frame, parts: Part[]): Message => ({
  messageId: newId(),
  contextId,
  taskId,
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const CHECKOUT_TOOL = /_checkout$/;

/** UCP expects a checkout under a reserved name (specification/shopping/checkout/a2a). */
const toData = (tool: string, answer: object): object => ({
  tool,
  result: answer,
  ...(CHECKOUT_TOOL.test(tool) && { "a2a.ucp.checkout": answer }),
  ...(tool === "get_order" && { "a2a.ucp.order": answer }),
});

/** UCP's outcome for a failed call; the response contains the details. */
const isRefusal = (answer: object): boolean =>
  "ucp" in answer && (answer.ucp as { status?: string }).status === "error";

/** `history`: the previous messages. */
export function toTask(
  frame: Frame,
  history: Message[],
  asked: { tool: string; outcome: ToolOutcome } | null,
): Task {
  const { taskId, contextId, now } = frame;
  const base = { id: taskId, contextId, history, metadata: undefined };
  const status = (state: TaskState, message?: Message) => ({
    state,
    message,
    timestamp: now.toISOString(),
  });
  if (!asked)
    return {
      ...base,
      artifacts: [],
      status: status(TaskState.TASK_STATE_INPUT_REQUIRED, toMessage(frame, [text(HELP)])),
    };
  const { tool, outcome } = asked;
  if (outcome.kind === "invalid")
    return {
      ...base,
      artifacts: [],
      status: status(
        TaskState.TASK_STATE_INPUT_REQUIRED,
        toMessage(frame, [text(outcome.message)]),
      ),
    };
  const artifact: Artifact = {
    artifactId: frame.newId(),
    name: tool,
    description: "",
    parts: [part({ $case: "data", value: toData(tool, outcome.answer) }, "application/json")],
    metadata: undefined,
    extensions: [],
  };
  return {
    ...base,
    artifacts: [artifact],
    status: status(
      outcome.kind === "failed" || isRefusal(outcome.answer)
        ? TaskState.TASK_STATE_FAILED
        : TaskState.TASK_STATE_COMPLETED,
    ),
  };
}
