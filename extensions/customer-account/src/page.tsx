import "@shopify/ui-extensions/preact";
import { render } from "preact";
import { useState } from "preact/hooks";
import { platform } from "./platform.ts";

export default async () => render(<Page />, document.body);

function Page() {
  const [n, setN] = useState(0);
  return (
    <s-page heading={platform.i18n.translate("name")}>
      <s-section heading="x">
        <s-switch label="Marketing" checked={n % 2 === 1} onChange={() => setN(n + 1)} />
        <s-button variant="primary" onClick={() => setN(n + 1)}>
          {String(n)}
        </s-button>
      </s-section>
    </s-page>
  );
}
