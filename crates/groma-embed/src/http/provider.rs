//! The services we know by name: where they are, what they run, and how they want to be asked.

use std::str::FromStr;

/// The way a service is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `POST /v1/embeddings`, as OpenAI defined it and everybody else took over.
    OpenAi,
    /// `POST /embed` of cortex-embed.
    Cortex,
}

/// A service we know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI, or anything that speaks like it.
    OpenAi,
    /// Jina AI.
    Jina,
    /// Voyage AI.
    Voyage,
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// Hugging Face's text-embeddings-inference.
    Tei,
    /// vLLM.
    Vllm,
    /// cortex-embed.
    Cortex,
}

/// What is known of a service without asking anybody.
pub(super) struct Preset {
    pub name: &'static str,
    pub base_url: &'static str,
    /// Empty where the service runs whatever it was started with.
    pub model: &'static str,
    /// The variable that holds its key; empty for a service that needs none.
    pub key_variable: &'static str,
    /// Texts in one request.
    pub batch: usize,
    /// Bytes of one text. Code has two to four a token; a text that is still too long is split when that shows.
    pub longest: usize,
    /// What to do when nobody answers.
    pub start: &'static str,
}

const PRESETS: [(Provider, Preset); 8] = [
    (
        Provider::OpenAi,
        Preset {
            name: "openai",
            base_url: "https://api.openai.com/v1",
            model: "text-embedding-3-small",
            key_variable: "OPENAI_API_KEY",
            batch: 128,
            longest: 16_000,
            start: "check the network, or `base_url`",
        },
    ),
    (
        Provider::Jina,
        Preset {
            name: "jina",
            base_url: "https://api.jina.ai/v1",
            model: "jina-embeddings-v3",
            key_variable: "JINA_API_KEY",
            batch: 64,
            longest: 16_000,
            start: "check the network, or `base_url`",
        },
    ),
    (
        Provider::Voyage,
        Preset {
            name: "voyage",
            base_url: "https://api.voyageai.com/v1",
            model: "voyage-code-3",
            key_variable: "VOYAGE_API_KEY",
            batch: 64,
            longest: 32_000,
            start: "check the network, or `base_url`",
        },
    ),
    (
        Provider::Ollama,
        Preset {
            name: "ollama",
            base_url: "http://localhost:11434/v1",
            model: "nomic-embed-text",
            key_variable: "",
            batch: 32,
            longest: 4_000,
            start: "`ollama serve` starts it",
        },
    ),
    (
        Provider::LmStudio,
        Preset {
            name: "lmstudio",
            base_url: "http://localhost:1234/v1",
            model: "",
            key_variable: "",
            batch: 32,
            longest: 4_000,
            start: "start LM Studio's server, or correct `base_url`",
        },
    ),
    (
        Provider::Tei,
        Preset {
            name: "tei",
            base_url: "http://localhost:8080/v1",
            model: "",
            key_variable: "",
            batch: 32,
            longest: 8_000,
            start: "start text-embeddings-inference, or correct `base_url`",
        },
    ),
    (
        Provider::Vllm,
        Preset {
            name: "vllm",
            base_url: "http://localhost:8000/v1",
            model: "",
            key_variable: "",
            batch: 64,
            longest: 16_000,
            start: "start vLLM, or correct `base_url`",
        },
    ),
    (
        Provider::Cortex,
        Preset {
            name: "cortex",
            base_url: "http://localhost:8121",
            model: "bge-small-en-v1.5",
            key_variable: "",
            batch: 64,
            // The service cuts what is beyond 512 tokens off without a word.
            longest: 1_200,
            start: "start cortex-embed, or correct `base_url`",
        },
    ),
];

/// Dimensions of models that are often used, so that they need not be asked for.
const MODELS: [(&str, usize); 15] = [
    ("text-embedding-3-small", 1536),
    ("text-embedding-3-large", 3072),
    ("text-embedding-ada-002", 1536),
    ("jina-embeddings-v3", 1024),
    ("jina-embeddings-v4", 2048),
    ("jina-embeddings-v2-base-code", 768),
    ("jina-embeddings-v2-base-en", 768),
    ("voyage-code-3", 1024),
    ("voyage-3.5", 1024),
    ("voyage-3.5-lite", 1024),
    ("voyage-3-large", 1024),
    ("nomic-embed-text", 768),
    ("mxbai-embed-large", 1024),
    ("all-minilm", 384),
    ("bge-small-en-v1.5", 384),
];

impl Provider {
    /// All of them.
    pub const ALL: [Provider; 8] = [
        Provider::OpenAi,
        Provider::Jina,
        Provider::Voyage,
        Provider::Ollama,
        Provider::LmStudio,
        Provider::Tei,
        Provider::Vllm,
        Provider::Cortex,
    ];

    /// The name it has in settings.
    pub fn name(self) -> &'static str {
        self.preset().name
    }

    /// The way it is asked.
    pub fn protocol(self) -> Protocol {
        if self == Self::Cortex { Protocol::Cortex } else { Protocol::OpenAi }
    }

    /// The variable that holds its key; `None` for a service that needs none.
    pub fn key_variable(self) -> Option<&'static str> {
        Some(self.preset().key_variable).filter(|name| !name.is_empty())
    }

    pub(super) fn preset(self) -> &'static Preset {
        &PRESETS[self as usize].1
    }
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|provider| provider.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|provider| provider.name()).collect();
            format!("it is none of {}", names.join(", "))
        })
    }
}

/// The dimensions of a model that is often used. A tag after a colon says nothing about them.
pub(super) fn known_dimensions(model: &str) -> Option<usize> {
    let model = model.split(':').next().unwrap_or(model);
    MODELS.iter().find(|(name, _)| *name == model).map(|(_, dimensions)| *dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_its_own_preset() {
        for (provider, (of, preset)) in Provider::ALL.iter().zip(&PRESETS) {
            assert_eq!(provider, of);
            assert_eq!(preset.name.parse(), Ok(*provider));
            assert!(preset.model.is_empty() || known_dimensions(preset.model).is_some());
        }
        assert!("nobody".parse::<Provider>().unwrap_err().contains("ollama"));
        assert_eq!(known_dimensions("nomic-embed-text:v1.5"), Some(768));
    }
}
