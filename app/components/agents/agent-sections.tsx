import { AGENT_WORDS } from "./agent-words.ts";
import { SectionNav } from "../section-nav.tsx";
import { useWords } from "../words.tsx";

export function AgentSections() {
  const words = useWords(AGENT_WORDS);
  return (
    <SectionNav
      label={words.sections}
      pages={[
        { path: "/app/agents", text: words.linked },
        { path: "/app/agents/mandates", text: words.mandates },
      ]}
    />
  );
}
