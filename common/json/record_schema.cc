#include "common/json/record_schema.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "common/kind/levels.h"

namespace tombola {
namespace {

using SchemaJson = nlohmann::json;

absl::Status Wrong(absl::string_view what, absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat(what, " must be ", wanted));
}

// InvalidArgument where an object has a member that is none of these.
absl::Status OnlyHas(const SchemaJson& json, absl::string_view what,
                     const std::set<std::string>& members) {
  if (!json.is_object()) return Wrong(what, "an object");
  for (const auto& [name, value] : json.items()) {
    if (!members.contains(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " has the unknown member \"", name, "\""));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TextOf(const SchemaJson& json, absl::string_view what,
                                   const char* member) {
  const auto at = json.find(member);
  if (at != json.end() && at->is_string()) return at->get<std::string>();
  return Wrong(absl::StrCat(what, ".", member), "a text");
}

absl::StatusOr<double> NumberOf(const SchemaJson& json, absl::string_view what,
                                const char* member) {
  const auto at = json.find(member);
  if (at != json.end() && at->is_number()) return at->get<double>();
  return Wrong(absl::StrCat(what, ".", member), "a number");
}

absl::StatusOr<uint32_t> WholeOf(const SchemaJson& json, absl::string_view what) {
  if (json.is_number_unsigned() && json.get<uint64_t>() <= UINT32_MAX) {
    return static_cast<uint32_t>(json.get<uint64_t>());
  }
  return Wrong(what, "a whole number");
}

// A list that is there; an empty one where it may be absent and is.
absl::StatusOr<SchemaJson> ListOf(const SchemaJson& json, absl::string_view what,
                                  const char* member) {
  const auto at = json.find(member);
  if (at != json.end() && at->is_array()) return *at;
  return Wrong(absl::StrCat(what, ".", member), "a list");
}

absl::Status ReadAttributeOf(const SchemaJson& json, absl::string_view what, v1::Attribute* wire) {
  TOMBOLA_RETURN_IF_ERROR(OnlyHas(json, what, {"name", "low", "high", "bins", "edges", "labels"}));
  TOMBOLA_ASSIGN_OR_RETURN(*wire->mutable_name(), TextOf(json, what, "name"));
  const int forms =
      static_cast<int>(json.contains("edges")) + static_cast<int>(json.contains("labels")) +
      static_cast<int>(json.contains("low") || json.contains("high") || json.contains("bins"));
  if (forms != 1) return Wrong(what, "described by low, high and bins, or by edges, or by labels");
  if (json.contains("labels")) {
    TOMBOLA_ASSIGN_OR_RETURN(const SchemaJson labels, ListOf(json, what, "labels"));
    for (const SchemaJson& label : labels) {
      if (!label.is_string()) return Wrong(absl::StrCat(what, ".labels"), "texts");
      wire->add_labels(label.get<std::string>());
    }
    return absl::OkStatus();
  }
  if (json.contains("edges")) {
    TOMBOLA_ASSIGN_OR_RETURN(const SchemaJson edges, ListOf(json, what, "edges"));
    if (edges.size() < 3) return Wrong(absl::StrCat(what, ".edges"), "at least three numbers");
    for (const SchemaJson& edge : edges) {
      if (!edge.is_number()) return Wrong(absl::StrCat(what, ".edges"), "numbers");
      wire->add_edges(edge.get<double>());
    }
    wire->set_bins(edges.size() - 1);
    return absl::OkStatus();
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double low, NumberOf(json, what, "low"));
  TOMBOLA_ASSIGN_OR_RETURN(const double high, NumberOf(json, what, "high"));
  wire->add_edges(low);
  wire->add_edges(high);
  if (!json.contains("bins")) return Wrong(absl::StrCat(what, ".bins"), "a whole number");
  TOMBOLA_ASSIGN_OR_RETURN(const uint32_t bins, WholeOf(json["bins"], absl::StrCat(what, ".bins")));
  wire->set_bins(bins);
  return absl::OkStatus();
}

absl::Status ReadMeasureOf(const SchemaJson& json, absl::string_view what, v1::Measure* wire) {
  TOMBOLA_RETURN_IF_ERROR(OnlyHas(json, what, {"name", "low", "high", "levels"}));
  TOMBOLA_ASSIGN_OR_RETURN(*wire->mutable_name(), TextOf(json, what, "name"));
  TOMBOLA_ASSIGN_OR_RETURN(const double low, NumberOf(json, what, "low"));
  TOMBOLA_ASSIGN_OR_RETURN(const double high, NumberOf(json, what, "high"));
  wire->mutable_levels()->set_low(low);
  wire->mutable_levels()->set_high(high);
  wire->mutable_levels()->set_count(kUsualLevels);
  if (!json.contains("levels")) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(const uint32_t levels,
                           WholeOf(json["levels"], absl::StrCat(what, ".levels")));
  wire->mutable_levels()->set_count(levels);
  return absl::OkStatus();
}

template <typename Named>
absl::StatusOr<uint32_t> PlaceIn(const google::protobuf::RepeatedPtrField<Named>& all,
                                 const SchemaJson& name, absl::string_view what) {
  for (int i = 0; i < all.size(); ++i) {
    if (name.is_string() && all[i].name() == name.get<std::string>()) {
      return static_cast<uint32_t>(i);
    }
  }
  return Wrong(what, absl::StrCat("a name that is there, not ", name.dump()));
}

absl::Status ReadQuestionOf(const SchemaJson& given, absl::string_view what, v1::Records* records) {
  const SchemaJson json = given.is_array() ? SchemaJson{{"attributes", given}} : given;
  TOMBOLA_RETURN_IF_ERROR(OnlyHas(json, what, {"attributes", "measure", "joined", "branching"}));
  TOMBOLA_ASSIGN_OR_RETURN(const SchemaJson names, ListOf(json, what, "attributes"));
  SchemaJson joins = SchemaJson::array();
  if (json.contains("joined")) {
    TOMBOLA_ASSIGN_OR_RETURN(joins, ListOf(json, what, "joined"));
    if (joins.size() != names.size()) {
      return Wrong(absl::StrCat(what, ".joined"), "one number for each attribute");
    }
  }
  // Views have their attributes in the schema's order.
  std::vector<std::pair<uint32_t, uint32_t>> places;
  for (size_t i = 0; i < names.size(); ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(const uint32_t place, PlaceIn(records->attributes(), names[i],
                                                           absl::StrCat(what, ".attributes")));
    uint32_t joined = 0;
    if (!joins.empty()) {
      TOMBOLA_ASSIGN_OR_RETURN(joined, WholeOf(joins[i], absl::StrCat(what, ".joined")));
    }
    places.emplace_back(place, joined);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i - 1].first == places[i].first) {
      return Wrong(absl::StrCat(what, ".attributes"), "names that are there once each");
    }
  }
  v1::View* const view = records->add_views();
  for (const auto& [place, joined] : places) {
    view->add_attributes(place);
    if (!joins.empty()) view->add_joined(joined);
  }
  if (json.contains("measure")) {
    TOMBOLA_ASSIGN_OR_RETURN(const uint32_t measure, PlaceIn(records->measures(), json["measure"],
                                                             absl::StrCat(what, ".measure")));
    view->set_measure(measure);
  }
  if (json.contains("branching")) {
    TOMBOLA_ASSIGN_OR_RETURN(const uint32_t branching,
                             WholeOf(json["branching"], absl::StrCat(what, ".branching")));
    view->set_branching(branching);
  }
  return absl::OkStatus();
}

// 0: it is to be chosen.
absl::StatusOr<uint32_t> MaxRecordsOf(const SchemaJson& json) {
  constexpr char kName[] = "max_records";
  constexpr absl::string_view kWanted = "a whole number from 1 on, or \"auto\"";
  const auto at = json.find(kName);
  if (at == json.end()) return Wrong(kName, kWanted);
  if (at->is_string() && at->get<std::string>() == "auto") return 0;
  const absl::StatusOr<uint32_t> most = WholeOf(*at, kName);
  if (!most.ok() || *most == 0) return Wrong(kName, kWanted);
  return most;
}

absl::StatusOr<v1::Records> ReadSchemaJson(const SchemaJson& json) {
  v1::Records records;
  TOMBOLA_RETURN_IF_ERROR(
      OnlyHas(json, "the schema",
              {"attributes", "measures", "max_records", "max_alike", "questions", "joins"}));
  TOMBOLA_ASSIGN_OR_RETURN(const SchemaJson attributes, ListOf(json, "the schema", "attributes"));
  for (size_t i = 0; i < attributes.size(); ++i) {
    TOMBOLA_RETURN_IF_ERROR(ReadAttributeOf(attributes[i], absl::StrCat("attributes[", i, "]"),
                                            records.add_attributes()));
  }
  if (json.contains("measures")) {
    TOMBOLA_ASSIGN_OR_RETURN(const SchemaJson measures, ListOf(json, "the schema", "measures"));
    for (size_t i = 0; i < measures.size(); ++i) {
      TOMBOLA_RETURN_IF_ERROR(
          ReadMeasureOf(measures[i], absl::StrCat("measures[", i, "]"), records.add_measures()));
    }
  }
  TOMBOLA_ASSIGN_OR_RETURN(const uint32_t most, MaxRecordsOf(json));
  records.set_max_records(most);
  if (json.contains("max_alike")) {
    TOMBOLA_ASSIGN_OR_RETURN(const uint32_t alike, WholeOf(json["max_alike"], "max_alike"));
    if (alike == 0 || most % alike != 0) {
      return Wrong("max_alike",
                   most == 0 ? "at least 1" : absl::StrCat("a divisor of max_records, ", most));
    }
    records.set_max_alike(alike);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const SchemaJson questions, ListOf(json, "the schema", "questions"));
  for (size_t i = 0; i < questions.size(); ++i) {
    TOMBOLA_RETURN_IF_ERROR(
        ReadQuestionOf(questions[i], absl::StrCat("questions[", i, "]"), &records));
  }
  return records;
}

}  // namespace

absl::StatusOr<v1::Records> ParseRecordSchema(absl::string_view text) {
  const SchemaJson json = SchemaJson::parse(text.begin(), text.end(), nullptr,
                                            /*allow_exceptions=*/false);
  if (json.is_discarded()) return Wrong("the schema", "a JSON object");
  return ReadSchemaJson(json);
}

}  // namespace tombola
