// The logo as it is shown, and its upload into the store's files. The address that comes back is a
// change of the form, which is saved with it.
import { useTranslation } from "react-i18next";
import { useFetcher } from "@remix-run/react";
import { BlockStack, Button, InlineStack, Link, Text } from "@shopify/polaris";
import { useRef, useState } from "react";
import type { LogoUpload } from "../../domain/tenants/storefront/logo-upload.ts";
import type { ActionResult } from "../../http/screens/screen-actions.ts";
import { useErrorMessage } from "../hooks/use-screen-action.ts";
import { useFetcherResult } from "../hooks/use-fetcher-result.ts";

const MAX_BYTES = 2 * 1024 * 1024;
const TYPES = "image/png,image/jpeg";
const PREVIEW = { maxWidth: "12rem", maxHeight: "4rem", objectFit: "contain" } as const;

type Problem = Extract<LogoUpload, { outcome: "refused" }>["problem"];
type Props = {
  shop: string;
  /** The address of the logo in the form. */
  url: string;
  /** The store allowed the app to write files. */
  isAllowed: boolean;
  onUploaded(url: string): void;
};

export function LogoUploader({ shop, url, isAllowed, onUploaded }: Props) {
  const { t } = useTranslation("settings");
  const { upload, isBusy, problem, failure } = useLogoUpload(onUploaded);
  const input = useRef<HTMLInputElement>(null);
  return (
    <BlockStack gap="200">
      {/^https?:\/\//.test(url) && <img src={url} alt={t("logo.preview")} style={PREVIEW} />}
      <InlineStack gap="300" blockAlign="center">
        <input
          ref={input}
          type="file"
          accept={TYPES}
          hidden
          aria-label={t("logo.upload")}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            currentTarget.value = "";
            if (file) void upload(file);
          }}
        />
        <Button loading={isBusy} disabled={!isAllowed} onClick={() => input.current?.click()}>
          {t("logo.upload")}
        </Button>
        <Text as="span" tone="subdued">
          {t("logo.rules")}
        </Text>
      </InlineStack>
      <div aria-live="polite">
        {(problem === "scope" || !isAllowed) && (
          <Text as="p">
            {t("logo.scope")}{" "}
            <Link url={`/auth/install?shop=${encodeURIComponent(shop)}`} target="_top">
              {t("logo.allow")}
            </Link>
          </Text>
        )}
        {problem && problem !== "scope" && (
          <Text as="p" tone="critical">
            {t(`logo.problems.${problem}`)}
          </Text>
        )}
        {failure && (
          <Text as="p" tone="critical">
            {failure}
          </Text>
        )}
      </div>
    </BlockStack>
  );
}

function useLogoUpload(onUploaded: (url: string) => void) {
  const fetcher = useFetcher<ActionResult<LogoUpload>>();
  const messageOf = useErrorMessage();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isReading, setReading] = useState(false);
  const chosen = useRef<File | null>(null);
  const answer = fetcher.state === "idle" ? fetcher.data : undefined;
  useFetcherResult({ state: fetcher.state, data: fetcher.data }, (result) => {
    if (!result.ok) return;
    if (result.data.outcome === "uploaded") onUploaded(result.data.url);
    else setProblem(result.data.problem);
  });
  return {
    isBusy: isReading || fetcher.state !== "idle",
    problem,
    failure: answer && !answer.ok ? messageOf(answer) : null,
    async upload(file: File) {
      chosen.current = file;
      setReading(true);
      const found = await findProblem(file);
      // A file that was chosen meanwhile counts, also when this one takes longer to be read.
      if (chosen.current !== file) return;
      setReading(false);
      setProblem(found);
      if (found) return;
      const form = new FormData();
      form.append("intent", "upload");
      form.append("file", file);
      fetcher.submit(form, {
        method: "post",
        action: "/app/settings/logo",
        encType: "multipart/form-data",
      });
    },
  };
}

/** The server looks at size and type again; only a browser decodes the image. */
async function findProblem(file: File): Promise<Problem | null> {
  if (file.size > MAX_BYTES) return "size";
  try {
    (await createImageBitmap(file)).close();
    return null;
  } catch {
    return "type";
  }
}
