import { CONSENT_WORDS } from "./consent-words.ts";
import { SectionNav } from "../section-nav.tsx";
import { useWords } from "../words.tsx";

export function ConsentSections() {
  const words = useWords(CONSENT_WORDS);
  return (
    <SectionNav
      label={words.sections}
      pages={[
        { path: "/app/consent", text: words.log },
        { path: "/app/consent/policies", text: words.policies },
      ]}
    />
  );
}
